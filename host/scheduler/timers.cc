// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/timers.h"

#include <algorithm>
#include <cstdlib>

namespace drover {
namespace {

constexpr Duration kLaunchesRecheck = std::chrono::minutes(1);
constexpr WallTime kJump = 1'000'000'000;

}  // namespace

void SchedulerTimers::Set(const Key& key, TimePoint at) {
  const auto [place, is_new] = at_.try_emplace(key, at);
  if (!is_new) {
    order_.erase({place->second, &place->first});
    place->second = at;
  } else if (key.first == Kind::kLaunch && ++launches_ == 1) {
    offset_ = loop_->Wall() - loop_->Now().time_since_epoch().count();
  }
  order_.emplace(at, &place->first);
}

void SchedulerTimers::SetWall(const Key& key, WallTime at) {
  Set(key, loop_->Now() + Duration(at - loop_->Wall()));
}

void SchedulerTimers::Erase(const Key& key) {
  const auto place = at_.find(key);
  if (place == at_.end()) return;
  if (key.first == Kind::kLaunch) --launches_;
  order_.erase({place->second, &place->first});
  at_.erase(place);
}

Duration SchedulerTimers::Left(Duration most) const {
  if (launches_ > 0) most = std::min(most, kLaunchesRecheck);
  if (order_.empty()) return most;
  return std::clamp(order_.begin()->first - loop_->Now(), Duration(0), most);
}

std::vector<SchedulerTimers::Key> SchedulerTimers::TakeDue(std::size_t most) {
  std::vector<Key> due;
  while (due.size() < most && !order_.empty() && order_.begin()->first <= loop_->Now()) {
    due.push_back(*order_.begin()->second);
    Erase(due.back());
  }
  return due;
}

bool SchedulerTimers::Recheck() {
  const WallTime offset = loop_->Wall() - loop_->Now().time_since_epoch().count();
  if (launches_ == 0 || std::abs(offset - offset_) <= kJump) return false;
  offset_ = offset;
  return true;
}

}  // namespace drover
