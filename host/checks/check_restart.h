// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/alloc/alloc_hook.h"
#include "host/alloc/alloc_runner.h"
#include "host/base/loop.h"
#include "host/checks/check_results.h"

namespace drover {

// Restarts the tasks of one allocation whose checks fail for too long. A check of a task's service
// restarts this task, and a check of a group's service all running tasks. The failures count from
// the end of the grace period, which begins with the real start of the tasks. After a restart, the
// checks that it concerns are watched again when the tasks have started again. So a check can
// restart its allocation again and again, and never twice for the same start. Looks at all checks
// together, and only now and then while many results arrive. Control thread only.
class CheckRestarter : private AllocObserver {
 public:
  // All three must outlive the time between Watch and Stop.
  CheckRestarter(Loop* loop, AllocControl* control, CheckResults* results)
      : loop_(loop), control_(control), results_(results) {}
  ~CheckRestarter() override { loop_->Cancel(timer_); }

  // Watches those of SLOTS that have a check_restart block, and no others. A check that was watched
  // before goes on as it was.
  void Watch(const std::string& alloc_id, const std::vector<std::shared_ptr<CheckSlot>>& slots);
  void Stop();

 private:
  struct Watched {
    std::shared_ptr<CheckSlot> slot;
    TimePoint since;                         // when the watch began
    std::optional<TimePoint> failing_since;  // absent while the check passes, or nothing counts
    WallTime restarted = 0;  // the start after which the check has asked for a restart
  };
  // A start of tasks, on both clocks.
  struct Started {
    WallTime wall = 0;
    TimePoint at;
  };

  void OnAllocState(const AllocSnapshot& state) override;
  void WakeSoon();
  void Wake(TimePoint at);
  void Look();
  std::optional<Started> StartOf(const AllocState& state, const CheckPlan& plan);
  // Returns when Look must run again for the check; nothing if only a change matters.
  std::optional<TimePoint> LookAt(Watched* watched, const Started& started);
  void Restart(const CheckPlan& plan, WallTime start);

  Loop* const loop_;
  AllocControl* const control_;
  CheckResults* const results_;
  std::vector<Watched> watched_;
  std::map<std::string, Started> starts_;  // by task, the newest start that was seen
  bool observing_ = false;
  Subscription on_results_;
  Loop::TimerId timer_ = 0;
  TimePoint timer_at_;
  TimePoint looked_at_;  // when Look has run last
};

}  // namespace drover
