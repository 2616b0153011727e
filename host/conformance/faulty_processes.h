// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/process/process_service.h"

namespace drover {

// A process service with faults. It passes all requests to another service, until a case of the kit
// sets a fault. Requests that end processes never fail, so the kit can always clean up. Control
// thread only.
class FaultyProcesses : public ProcessService {
 public:
  enum class Mode {
    kNone,
    kRefuse,  // requests fail at once
    kHang,    // requests are not answered before their context ends
    kSlow,    // a start takes an additional time, the delay
  };

  explicit FaultyProcesses(ProcessService* inner) : inner_(inner) {}

  // Sets the fault of later requests. kSlow concerns Start alone. kRefuse and kHang concern Start,
  // Attach, Signal, Usage and Exec.
  void SetProcesses(Mode mode, Duration delay = Duration(0)) {
    mode_ = mode;
    delay_ = delay;
  }
  // Sets the fault of later requests for the output of a task without a process.
  void SetOutput(Mode mode) { output_ = mode; }
  // The number of starts that the driver has requested, and that of outputs.
  int starts() const { return starts_; }
  int outputs() const { return outputs_; }

  Co<Result<ProcessInfo>> Start(Context context, ProcessSpec spec) override;
  Co<Result<ProcessInfo>> StartOutput(Context context, OutputSpec spec) override;
  Result<RunId> AddNamed(RunId run, const std::string& name) override;
  Result<std::map<std::string, RunId>> Named(RunId run) const override;
  Status ForgetNamed(RunId run, const std::string& name) override;
  std::string CgroupPath(RunId run) const override;
  Result<UniqueFd> OpenPidfd(RunId run) const override;
  Co<Result<Attached>> Attach(Context context, RunId run) override;
  Co<Result<ProcessExit>> Wait(Context context, RunId run) override;
  Co<Status> Signal(Context context, RunId run, int signal_number) override;
  Co<Result<ProcessExit>> Stop(Context context, RunId run, int signal_number,
                               Duration timeout) override;
  Status Kill(RunId run) override;
  void KillAll() override;
  Co<Status> Release(Context context, RunId run) override;
  Result<RunPlace> MakePlace(RunId run) override;
  Co<Status> RemovePlace(Context context, RunId run) override;
  bool HasPlace(RunId run) override;
  std::uint64_t PlaceOomKills(RunId run) override;
  Co<Result<ProcessUsage>> Usage(Context context, RunId run, UsageDetail detail) override;
  Co<Result<std::unique_ptr<ExecSession>>> Exec(Context context, RunId run, ExecSpec spec) override;
  Subscription OnDroppedOutput(RunId run, std::function<void(const DroppedOutput&)> hear) override;
  std::string TrackingDescription() const override;

 private:
  // Returns the error of a request in MODE, or success if the request goes on.
  static Co<Status> Commit(Context context, Mode mode, Duration delay);

  ProcessService* const inner_;
  Mode mode_ = Mode::kNone;
  Mode output_ = Mode::kNone;
  Duration delay_{0};
  int starts_ = 0;
  int outputs_ = 0;
};

}  // namespace drover
