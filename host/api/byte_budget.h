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

// The number of bytes that requests may hold together. A request that wants more than is left waits
// for its turn: the client that holds the least goes first, among its requests the oldest.
// [any thread]
class ByteBudget {
 public:
  // The client of a share that waits for this client, as a body does that still arrives. Such a
  // share gives way to a client that holds less, once it is older than kGrace: so a client that
  // announces bodies and sends none keeps nobody else out. A share without a client never gives
  // way.
  struct Owner {
    std::string client;
    // Called at most once, on any thread, under the lock: only passes on that the share must be
    // given back.
    std::function<void()> give_way;
  };
  // A body of this machine arrives in less.
  static constexpr Duration kGrace = 20ms;

  explicit ByteBudget(std::size_t bytes) : all_(bytes), left_(bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;
  ~ByteBudget();

  // The part of it that a request holds, until this is destroyed; before the budget is. An empty
  // one holds nothing.
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

    // Gives back all but BYTES, which do not give way any more.
    void ShrinkTo(std::size_t bytes);

   private:
    friend class ByteBudget;
    Share(ByteBudget* of, std::size_t bytes, std::uint64_t owned)
        : of_(of), bytes_(bytes), owned_(owned) {}
    ByteBudget* of_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t owned_ = 0;  // see Owned; 0: it does not give way
  };

  // Waits on the thread of the context's loop; the error is that of the context.
  // Code::kResourceExhausted at once: it is more than there is at all.
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
    std::uint64_t owned = 0;  // also
    Event granted;            // for the loop's thread
  };
  // A share that may have to give way.
  struct Owned {
    Owner owner;
    std::size_t bytes = 0;
    TimePoint since;
    bool asked = false;  // to give way
  };
  using Held = std::map<std::string_view, std::size_t>;  // by client

  void Give(std::size_t bytes, std::uint64_t owned);
  Held HeldLocked() const;
  // The waiter whose turn is next; null: nobody waits.
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
