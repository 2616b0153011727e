// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/stats/stats_collector.h"
#include "host/task/task_hook.h"

namespace drover {

// Collects samples of the task's resource usage while the task runs.
class StatsHook : public TaskHook {
 public:
  // DRIVERS is not owned and must outlive the hook.
  StatsHook(Loop* loop, DriverRegistry* drivers, std::shared_ptr<StatsCollector> collector)
      : loop_(loop),
        drivers_(drivers),
        collector_(std::move(collector)),
        free_(loop),
        running_(loop) {
    free_.Set();
  }

  std::string_view name() const override { return "stats_hook"; }
  bool Has(HookStage stage) const override {
    return stage == HookStage::kPoststart || stage == HookStage::kExited ||
           stage == HookStage::kShutdown;
  }
  Duration deadline(HookStage) const override { return 5s; }
  Co<Status> Poststart(Context context, PoststartRequest request) override;
  Co<Status> Exited(Context context, HookRequest request) override;
  Co<Status> Shutdown(Context context, HookRequest request) override;

 private:
  static Co<void> Collect(StatsHook* self, Context context, StatsCollector::Source source);
  static Co<Status> AskDriver(DriverRegistry* drivers, std::string driver, RunId run,
                              Context context, StatsRequest wanted, StatsCollector::Sink sink);
  Co<void> End();

  Loop* const loop_;
  DriverRegistry* const drivers_;
  const std::shared_ptr<StatsCollector> collector_;
  // The context in which the newest run's samples are collected.
  std::optional<Context> collecting_;
  Event free_;  // set while no run's samples are collected
  Gate running_;
};

}  // namespace drover
