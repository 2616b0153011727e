// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/tick_timers.h"

namespace drover {

TickTimers::Id TickTimers::At(TimePoint at, std::function<void()> function) {
  const Duration since = at.time_since_epoch();
  const Duration over = since % tick_;
  if (over > Duration(0)) at += tick_ - over;
  const Id id(at, next_++);
  timers_.emplace(id, std::move(function));
  Arm();
  return id;
}

// The timer of the loop stays, even if it was for the removed one. So the many timeouts that are
// set and removed do not set it again and again.
void TickTimers::Cancel(Id id) { timers_.erase(id); }

void TickTimers::Arm() {
  if (timers_.empty() || firing_) return;
  const TimePoint first = timers_.begin()->first.first;
  if (timer_ != 0 && armed_ <= first) return;
  loop_->Cancel(timer_);
  armed_ = first;
  timer_ = loop_->At(first, [this] {
    timer_ = 0;
    Fire();
  });
}

void TickTimers::Fire() {
  const TimePoint now = loop_->Now();
  firing_ = true;
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto node = timers_.extract(timers_.begin());
    node.mapped()();
  }
  firing_ = false;
  Arm();
}

}  // namespace drover
