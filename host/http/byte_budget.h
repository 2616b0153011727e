// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/context.h"
#include "host/base/event.h"

namespace drover {

// Limits the bytes that all requests may hold together. A request for more than is left waits for
// its turn: the client that holds the least goes first, and among its requests the oldest.
// [any thread]
class ByteBudget {
 public:
  // The client of a share that still waits for it, as the share of a body does until all of the
  // body has come. A share older than kGrace gives way to a client that holds less, so a client
  // that announces bodies and sends none keeps nobody out. A share without `give_way` never gives
  // way.
  struct Owner {
    std::string client;
    // Called at most once, on any thread, under the lock. It may only pass on that the share must
    // be given back.
    std::function<void()> give_way;
  };
  // A body from a client on this machine arrives sooner.
  static constexpr Duration kGrace = 20ms;

  explicit ByteBudget(std::size_t bytes) : all_(bytes), left_(bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;
  ~ByteBudget();

  // A part of the budget, held until this is destroyed, which must be before the budget is. An
  // empty share holds nothing.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept { *this = std::move(other); }
    Share& operator=(Share&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(bytes_, other.bytes_);
      std::swap(owned_, other.owned_);
      return *this;
    }
    ~Share() { ShrinkTo(0); }

    // Gives back all but BYTES, which never give way from then on.
    void ShrinkTo(std::size_t bytes);

   private:
    friend class ByteBudget;
    Share(ByteBudget* of, std::size_t bytes, std::uint64_t owned)
        : of_(of), bytes_(bytes), owned_(owned) {}
    ByteBudget* of_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t owned_ = 0;  // its key in ByteBudget::owned_; 0: it never gives way
  };

  // Waits on the thread of the context's loop; the error is the context's.
  // Code::kResourceExhausted at once: BYTES is more than the whole budget.
  Co<Result<Share>> Take(Context context, std::size_t bytes, Owner owner = {});

  std::size_t left() const;

 private:
  struct Waiter {
    Waiter(Loop* on, std::size_t wanted, Owner of)
        : loop(on), bytes(wanted), owner(std::move(of)), granted(on) {}
    Loop* const loop;
    const std::size_t bytes;
    const Owner owner;
    bool has = false;         // guarded by the budget's lock
    std::uint64_t owned = 0;  // guarded by it too
    Event granted;            // for the loop's thread
  };
  // A share that may have to give way.
  struct Owned {
    Owner owner;
    std::size_t bytes = 0;
    TimePoint since;
    bool asked = false;  // `give_way` was called
  };
  using Held = std::map<std::string_view, std::size_t>;  // bytes by client

  void Give(std::size_t bytes, std::uint64_t owned);
  Held HeldLocked() const;
  // Returns the waiter whose turn is next; null: nobody waits.
  std::shared_ptr<Waiter> NextLocked() const;
  void TakeLocked(Waiter* waiter);
  void GrantLocked();
  // Asks shares to give way to WAITER, whose turn is next.
  void MakeRoomLocked(const Waiter& waiter);

  const std::size_t all_;
  mutable std::mutex mutex_;
  std::size_t left_;
  std::list<std::shared_ptr<Waiter>> waiters_;
  std::map<std::uint64_t, Owned> owned_;  // the oldest first
  std::uint64_t last_owned_ = 0;
};

}  // namespace drover
