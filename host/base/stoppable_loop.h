// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/loop.h"

namespace drover {

// For tests: the loop of a process that can stand still. The time continues during a standstill.
// All timers that became due during the standstill fire at once after it. After the first
// standstill, tests must move the time only with the Advance of this class.
class StoppableLoop : public SimLoop {
 public:
  TimePoint Now() const override { return SimLoop::Now() + stood_; }
  void StandStill(Duration duration) {
    stood_ += duration;
    FireTimers(Now());
    RunReady();
  }
  // Like SimLoop::Advance, but includes the standstills in the time.
  void Advance(Duration duration) {
    if (stood_ == Duration(0)) return SimLoop::Advance(duration);
    const TimePoint end = Now() + duration;
    RunReady();
    while (HasTimer() && FirstTimer() <= end) {
      if (FirstTimer() > Now()) stood_ += FirstTimer() - Now();
      FireTimers(Now());
      RunReady();
    }
    stood_ += end - Now();
  }

 private:
  Duration stood_{0};
};

}  // namespace drover
