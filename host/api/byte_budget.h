// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "host/base/context.h"
#include "host/base/event.h"

namespace drover {

// Limits the bytes that all requests may hold together. A request for more than is left waits for
// its turn: first come, first served. [any thread]
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t bytes) : all_(bytes), left_(bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;
  ~ByteBudget();

  // A part of the budget, held until this is destroyed, which must be before the budget is. An
  // empty share holds nothing.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() { ShrinkTo(0); }

    // Gives back all but BYTES.
    void ShrinkTo(std::size_t bytes);

   private:
    friend class ByteBudget;
    Share(ByteBudget* of, std::size_t bytes) : of_(of), bytes_(bytes) {}
    ByteBudget* of_ = nullptr;
    std::size_t bytes_ = 0;
  };

  // Waits on the thread of the context's loop; the error is the context's.
  // Code::kResourceExhausted at once: BYTES is more than the whole budget.
  Co<Result<Share>> Take(Context context, std::size_t bytes);

  std::size_t left() const;

 private:
  struct Waiter {
    Waiter(Loop* on, std::size_t wanted) : loop(on), bytes(wanted), granted(on) {}
    Loop* const loop;
    const std::size_t bytes;
    bool has = false;  // guarded by the budget's lock
    Event granted;     // for the loop's thread
  };
  void Give(std::size_t bytes);
  void GrantLocked();

  const std::size_t all_;
  mutable std::mutex mutex_;
  std::size_t left_;
  std::list<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace drover
