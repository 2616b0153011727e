// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/broken_driver.h"

namespace drover {

BrokenDriver::BrokenDriver(std::string name, ProcessService* processes) : processes_(processes) {
  info_.name = std::move(name);
  fingerprint_.health = Health::kUnhealthy;
  fingerprint_.description = "the plugin has not been loaded yet";
}

Co<Result<StartedTask>> BrokenDriver::Start(Context, std::shared_ptr<const TaskConfig>) {
  co_return Reason();
}

Co<Result<RecoveredTask>> BrokenDriver::Recover(Context, std::shared_ptr<const TaskConfig>,
                                                TaskHandle) {
  co_return Reason();
}

Co<Result<ExitResult>> BrokenDriver::Wait(Context, RunId) { co_return Reason(); }
Co<Status> BrokenDriver::Stop(Context, RunId, Duration, std::string) { co_return Reason(); }

Co<Status> BrokenDriver::ForceKill(Context context, RunId run) {
  co_return co_await KillRun(processes_, std::move(context), run);
}

Co<Status> BrokenDriver::Signal(Context, RunId, std::string) { co_return Reason(); }

// The driver's own part of the run stays; its processes do not.
Co<Status> BrokenDriver::Destroy(Context context, RunId run, bool force) {
  if (force && processes_ != nullptr) {
    DROVER_CO_TRY(co_await processes_->Release(std::move(context), run));
  }
  co_return Reason();
}

Co<Result<TaskStatus>> BrokenDriver::Inspect(Context, RunId) { co_return Reason(); }

Co<Status> BrokenDriver::Stats(Context, RunId, StatsRequest, std::function<void(TaskUsage)>) {
  co_return Reason();
}

Co<Result<std::unique_ptr<TaskExecSession>>> BrokenDriver::Exec(Context, RunId, ExecRequest) {
  co_return Reason();
}

Co<Status> KillRun(ProcessService* processes, Context context, RunId run) {
  if (processes == nullptr) {
    co_return Error(Code::kUnavailable, "the task is no process of the host");
  }
  const Status killed = processes->Kill(run);
  if (killed.code() == Code::kNotFound) co_return Status();  // nothing of it runs
  if (!killed.ok()) co_return killed;
  const Result<ProcessExit> end = co_await processes->Wait(context, run);
  if (!end.ok() && end.code() != Code::kNotFound) co_return end.error();
  co_return Status();
}

}  // namespace drover
