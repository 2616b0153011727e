// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/timer_table.h"

#include "host/plugin/call_table.h"

namespace drover {

std::uint64_t TimerTable::After(Duration delay, void (*function)(void*), void* context) {
  const std::uint64_t id = NextPluginId();
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return id;
    timers_.emplace(id, Timer{function, context, 0});
  }
  const TimePoint asked = BootClock::now();
  port_->Post([weak = weak_from_this(), id, delay, asked] {
    const auto table = weak.lock();
    if (!table) return;
    const std::lock_guard lock(table->mutex_);
    const auto found = table->timers_.find(id);
    if (found == table->timers_.end()) return;  // the timer was cancelled already
    // The delay begins with the call of After, so the time since that call is subtracted.
    const Duration left = std::max(Duration(0), delay - (BootClock::now() - asked));
    found->second.in_loop = table->loop_->After(left, [weak, id] {
      if (const auto alive = weak.lock()) alive->Fire(id);
    });
  });
  return id;
}

void TimerTable::Fire(std::uint64_t id) {
  // The timer stays in the table until a thread of the pool runs it, so it can be cancelled until
  // then.
  const bool posted = pool_->Post({"a timer's function",
                                   [self = shared_from_this(), id] {
                                     Timer timer{};
                                     {
                                       const std::lock_guard lock(self->mutex_);
                                       auto node = self->timers_.extract(id);
                                       if (node.empty()) return;
                                       timer = node.mapped();
                                     }
                                     timer.function(timer.context);
                                   },
                                   hold_, false});
  if (!posted) Cancel(id);
}

bool TimerTable::Cancel(std::uint64_t id) {
  Loop::TimerId in_loop = 0;
  {
    const std::lock_guard lock(mutex_);
    auto node = timers_.extract(id);
    if (node.empty()) return dropped_.erase(id) > 0;
    in_loop = node.mapped().in_loop;
  }
  if (in_loop != 0) {
    port_->Post([weak = weak_from_this(), in_loop] {
      if (const auto table = weak.lock()) table->loop_->Cancel(in_loop);
    });
  }
  return true;
}

void TimerTable::DropAll() {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, timer] : timers_) {
    loop_->Cancel(timer.in_loop);
    dropped_.insert(id);
  }
  timers_.clear();
}

void TimerTable::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  DropAll();
}

std::size_t TimerTable::size() const {
  const std::lock_guard lock(mutex_);
  return timers_.size();
}

}  // namespace drover
