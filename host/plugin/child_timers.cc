// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/child_timers.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace drover {

ChildTimers::ChildTimers() : timer_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {}

void ChildTimers::Arm() {
  itimerspec when{};
  if (!timers_.empty()) {
    const auto at = timers_.begin()->first.first.time_since_epoch().count();
    // Zero would disarm it.
    when.it_value.tv_sec = at / 1'000'000'000;
    when.it_value.tv_nsec = std::max<long>(1, at % 1'000'000'000);
  }
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

std::uint64_t ChildTimers::After(Duration delay, void (*function)(void*), void* context) {
  constexpr Duration kLongest = std::chrono::hours(24 * 365);
  const TimePoint at = BootClock::now() + std::clamp(delay, Duration(0), kLongest);
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = next_++;
  if (function == nullptr) return id;
  timers_[{at, id}] = {function, context};
  times_[id] = at;
  Arm();
  return id;
}

bool ChildTimers::Cancel(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = times_.find(id);
  if (found == times_.end()) return false;
  timers_.erase({found->second, id});
  times_.erase(found);
  Arm();
  return true;
}

void ChildTimers::Fire(const std::function<void(std::function<void()>)>& run) {
  std::uint64_t expirations = 0;
  (void)!read(timer_.get(), &expirations, sizeof expirations);
  // Each is asked for again when its turn has come: until then it can be cancelled.
  std::vector<Timer> due;
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = BootClock::now();
    while (!timers_.empty() && timers_.begin()->first.first <= now) {
      due.push_back(timers_.begin()->second);
      times_.erase(timers_.begin()->first.second);
      timers_.erase(timers_.begin());
    }
    Arm();
  }
  for (const Timer& timer : due) run([timer] { timer.function(timer.context); });
}

}  // namespace drover
