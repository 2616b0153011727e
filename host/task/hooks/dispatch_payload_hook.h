// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/worker_pool.h"
#include "host/task/task_hook.h"

namespace drover {

// Writes the payload of a dispatched job to a file in the local directory of a task, before its
// first start. A task that has removed or changed the file finds it so after a restart.
class DispatchPayloadHook : public TaskHook {
 public:
  // POOL writes the file, and must outlive the hook; null: the calling thread does.
  explicit DispatchPayloadHook(WorkerPool* pool) : pool_(pool) {}

  // Returns whether TASK, a task of JOB, needs the hook.
  static bool IsNeeded(const Job& job, const Task& task) {
    return !task.dispatch_payload_file.empty() && !job.payload.empty();
  }

  std::string_view name() const override { return "dispatch_payload"; }
  bool Has(HookStage stage) const override { return stage == HookStage::kPrestart; }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;

 private:
  WorkerPool* const pool_;
};

}  // namespace drover
