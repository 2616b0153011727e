// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "host/base/loop.h"

namespace drover {

// Many timers with few wake-ups: timers that are due within the same tick fire together, at its
// end. So any number of timers wakes the thread at most once per tick. Belongs to the thread of its
// loop.
class TickTimers {
 public:
  // When a timer fires, and a number. `Id()` is no timer.
  using Id = std::pair<TimePoint, std::uint64_t>;

  // LOOP must outlive this object.
  TickTimers(Loop* loop, Duration tick) : loop_(loop), tick_(tick) {}
  TickTimers(const TickTimers&) = delete;
  TickTimers& operator=(const TickTimers&) = delete;
  ~TickTimers() { loop_->Cancel(timer_); }

  // Calls FUNCTION once, at AT or up to a tick later.
  Id At(TimePoint at, std::function<void()> function);
  // Removes a timer. Ignores `Id()` and the id of a timer that has fired.
  void Cancel(Id id);

  std::size_t size() const { return timers_.size(); }  // for tests

 private:
  void Arm();
  void Fire();

  Loop* const loop_;
  const Duration tick_;
  std::map<Id, std::function<void()>> timers_;
  std::uint64_t next_ = 1;
  Loop::TimerId timer_ = 0;  // 0 while the loop has no timer of this object
  bool firing_ = false;      // Fire sets the timer at its end
  TimePoint armed_;
};

}  // namespace drover
