// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/kill_run.h"

#include "host/process/process_service.h"

namespace drover {

Co<Status> KillRun(ProcessService* processes, Context context, RunId run) {
  if (processes == nullptr) {
    co_return Error(Code::kUnavailable, "the task is no process of the host");
  }
  const Status killed = processes->Kill(run);
  if (killed.code() == Code::kNotFound) co_return Status();  // no process of the run exists
  if (!killed.ok()) co_return killed;
  const Result<ProcessExit> end = co_await processes->Wait(context, run);
  if (!end.ok() && end.code() != Code::kNotFound) co_return end.error();
  co_return Status();
}

}  // namespace drover
