// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/task/task_hook.h"
#include "host/task/task_seams.h"

namespace drover {

// Makes the task directory before each start, because its mounts may be missing after a reboot.
// Only the first build emits an event.
class TaskDirHook : public TaskHook {
 public:
  explicit TaskDirHook(TaskDirBuilder* builder) : builder_(builder) {}

  std::string_view name() const override { return "task_dir"; }
  bool Has(HookStage stage) const override { return stage == HookStage::kPrestart; }
  Duration deadline(HookStage) const override { return 10min; }  // enough to build a large chroot
  void Attach(std::weak_ptr<TaskControl> control) override { control_ = std::move(control); }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;
  TaskEvent FailureEvent(const Error& error) const override;

 private:
  TaskDirBuilder* const builder_;
  std::weak_ptr<TaskControl> control_;
};

}  // namespace drover
