// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/driver/driver.h"
#include "host/process/process_service.h"

namespace drover {

// Stands for a plugin that could not be loaded: it has the configured name, is unhealthy, and each
// call fails with the reason. Processes of earlier runs of the driver can still be there: they are
// killed, and a destroy by force releases them before it fails.
class BrokenDriver : public Driver {
 public:
  BrokenDriver(std::string name, ProcessService* processes);

  void SetReason(std::string reason) { fingerprint_.description = std::move(reason); }

  const DriverInfo& info() const override { return info_; }
  const Fingerprint& fingerprint() const override { return fingerprint_; }
  Subscription OnFingerprint(std::function<void()>) override { return {}; }
  Subscription OnEvents(RunId, std::function<void(const DriverEvent&)>) override { return {}; }
  Subscription OnHandle(RunId, std::function<void(const TaskHandle&)>) override { return {}; }
  Result<std::string> NormalizeConfigAt(const std::string&, const std::string&, bool) override {
    return Reason();
  }
  Co<Result<StartedTask>> Start(Context, std::shared_ptr<const TaskConfig>) override;
  Co<Result<RecoveredTask>> Recover(Context, std::shared_ptr<const TaskConfig>,
                                    TaskHandle) override;
  Co<Result<ExitResult>> Wait(Context, RunId) override;
  Co<Status> Stop(Context, RunId, Duration, std::string) override;
  Co<Status> ForceKill(Context context, RunId run) override;
  Co<Status> Signal(Context, RunId, std::string) override;
  Co<Status> Destroy(Context, RunId, bool) override;
  Co<Result<TaskStatus>> Inspect(Context, RunId) override;
  Co<Status> Stats(Context, RunId, StatsRequest, std::function<void(TaskUsage)>) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context, RunId, ExecRequest) override;

 private:
  Error Reason() const {
    return Error(Code::kUnavailable, "driver " + info_.name + ": " + fingerprint_.description);
  }

  DriverInfo info_;
  Fingerprint fingerprint_;
  ProcessService* processes_;
};

// Kills everything of a run without its driver. PROCESSES may be null.
Co<Status> KillRun(ProcessService* processes, Context context, RunId run);

}  // namespace drover
