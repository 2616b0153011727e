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

// Limits the number of bytes that all requests may hold together. A request for more bytes than
// are left waits for its turn. The client that holds the fewest bytes is served first, and among
// its requests the oldest. [any thread]
class ByteBudget {
 public:
  // The owner of a share. If `give_way` is set, as for a body that has not fully arrived, the
  // budget can demand the share back. It does so if the share is older than kGrace and a waiting
  // client holds less. A client that announces bodies and sends none thus cannot keep other clients
  // out.
  struct Owner {
    std::string client;
    // Tells the owner that the share is demanded back. The function is called at most once, on any
    // thread, while the budget is locked. It must not return the share itself.
    std::function<void()> give_way;
  };
  // The budget demands back only shares that are older than this. A body from a client on this
  // machine arrives in less time.
  static constexpr Duration kGrace = 20ms;

  explicit ByteBudget(std::size_t bytes) : all_(bytes), left_(bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;
  ~ByteBudget();

  // A part of the budget, which is held until this object is destroyed. The object must be
  // destroyed before the budget. An empty share holds nothing.
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

    // Reduces the size of the share to at most BYTES, and returns the other bytes to the budget.
    // From then on, the budget does not demand the share back.
    void ShrinkTo(std::size_t bytes);

   private:
    friend class ByteBudget;
    Share(ByteBudget* of, std::size_t bytes, std::uint64_t owned)
        : of_(of), bytes_(bytes), owned_(owned) {}
    ByteBudget* of_ = nullptr;
    std::size_t bytes_ = 0;
    // The key of the share in ByteBudget::owned_, or 0 if the budget cannot demand the share back.
    std::uint64_t owned_ = 0;
  };

  // Waits for BYTES on the thread of the context's loop. Returns the context's error if CONTEXT
  // ends first. Returns Code::kResourceExhausted at once if BYTES is more than the whole budget.
  Co<Result<Share>> Take(Context context, std::size_t bytes, Owner owner = {});

  std::size_t left() const;

 private:
  struct Waiter {
    Waiter(Loop* on, std::size_t wanted, Owner of)
        : loop(on), bytes(wanted), owner(std::move(of)), granted(on) {}
    Loop* const loop;
    const std::size_t bytes;
    const Owner owner;
    bool has = false;  // whether the bytes were granted; guarded by the budget's lock
    // The key of the waiter's share in owned_, or 0 if the budget cannot demand the share back.
    // Guarded by the budget's lock.
    std::uint64_t owned = 0;
    Event granted;  // only the loop's thread uses it
  };
  // A share that the budget can demand back.
  struct Owned {
    Owner owner;
    std::size_t bytes = 0;
    TimePoint since;
    bool asked = false;  // whether `give_way` was called
  };
  using Held = std::map<std::string_view, std::size_t>;  // the bytes of the shares, by client

  void Give(std::size_t bytes, std::uint64_t owned);
  Held HeldLocked() const;
  // Returns the waiter whose turn is next, or null if nobody waits.
  std::shared_ptr<Waiter> NextLocked() const;
  void TakeLocked(Waiter* waiter);
  void GrantLocked();
  // Demands shares back until their bytes and the free bytes are enough for WAITER, whose turn is
  // next.
  void MakeRoomLocked(const Waiter& waiter);

  const std::size_t all_;
  mutable std::mutex mutex_;
  std::size_t left_;
  std::list<std::shared_ptr<Waiter>> waiters_;
  std::map<std::uint64_t, Owned> owned_;  // by age, the oldest share first
  std::uint64_t last_owned_ = 0;
};

}  // namespace drover
