// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/faulty_processes.h"

#include <utility>

namespace drover {

Co<Status> FaultyProcesses::Commit(Context context, Mode mode, Duration delay) {
  if (mode == Mode::kRefuse) {
    co_return Error(Code::kResourceExhausted, "the kit lets the service refuse this");
  }
  if (mode == Mode::kHang) {
    co_await context.Cancelled();
    co_return context.status();
  }
  if (mode == Mode::kSlow) co_return co_await Sleep(context, delay);
  co_return Status();
}

Co<Result<ProcessInfo>> FaultyProcesses::Start(Context context, ProcessSpec spec) {
  ++starts_;
  DROVER_CO_TRY(co_await Commit(context, mode_, delay_));
  co_return co_await inner_->Start(context, std::move(spec));
}

Co<Result<ProcessInfo>> FaultyProcesses::StartOutput(Context context, OutputSpec spec) {
  ++outputs_;
  DROVER_CO_TRY(co_await Commit(context, output_, Duration(0)));
  co_return co_await inner_->StartOutput(context, std::move(spec));
}

// The start that follows a name has the fault, so the driver's named processes have it, too.
Result<RunId> FaultyProcesses::AddNamed(RunId run, const std::string& name) {
  return inner_->AddNamed(run, name);
}
Result<std::map<std::string, RunId>> FaultyProcesses::Named(RunId run) const {
  return inner_->Named(run);
}
Status FaultyProcesses::ForgetNamed(RunId run, const std::string& name) {
  return inner_->ForgetNamed(run, name);
}
std::string FaultyProcesses::CgroupPath(RunId run) const { return inner_->CgroupPath(run); }
Result<UniqueFd> FaultyProcesses::OpenPidfd(RunId run) const { return inner_->OpenPidfd(run); }

Co<Result<ProcessService::Attached>> FaultyProcesses::Attach(Context context, RunId run) {
  DROVER_CO_TRY(co_await Commit(context, mode_, Duration(0)));
  co_return co_await inner_->Attach(context, run);
}

Co<Result<ProcessExit>> FaultyProcesses::Wait(Context context, RunId run) {
  co_return co_await inner_->Wait(context, run);
}

Co<Status> FaultyProcesses::Signal(Context context, RunId run, int signal_number) {
  DROVER_CO_TRY(co_await Commit(context, mode_, Duration(0)));
  co_return co_await inner_->Signal(context, run, signal_number);
}

Co<Result<ProcessExit>> FaultyProcesses::Stop(Context context, RunId run, int signal_number,
                                              Duration timeout) {
  co_return co_await inner_->Stop(context, run, signal_number, timeout);
}

Status FaultyProcesses::Kill(RunId run) { return inner_->Kill(run); }
void FaultyProcesses::KillAll() { inner_->KillAll(); }

Co<Status> FaultyProcesses::Release(Context context, RunId run) {
  co_return co_await inner_->Release(context, run);
}

Result<RunPlace> FaultyProcesses::MakePlace(RunId run) {
  if (mode_ == Mode::kRefuse) {
    return Error(Code::kResourceExhausted, "the kit lets the service refuse this");
  }
  return inner_->MakePlace(run);
}

Co<Status> FaultyProcesses::RemovePlace(Context context, RunId run) {
  co_return co_await inner_->RemovePlace(context, run);
}

bool FaultyProcesses::HasPlace(RunId run) { return inner_->HasPlace(run); }
std::uint64_t FaultyProcesses::PlaceOomKills(RunId run) { return inner_->PlaceOomKills(run); }

Co<Result<ProcessUsage>> FaultyProcesses::Usage(Context context, RunId run, UsageDetail detail) {
  DROVER_CO_TRY(co_await Commit(context, mode_, Duration(0)));
  co_return co_await inner_->Usage(context, run, detail);
}

Co<Result<std::unique_ptr<ExecSession>>> FaultyProcesses::Exec(Context context, RunId run,
                                                               ExecSpec spec) {
  DROVER_CO_TRY(co_await Commit(context, mode_, Duration(0)));
  co_return co_await inner_->Exec(context, run, std::move(spec));
}

Subscription FaultyProcesses::OnDroppedOutput(RunId run,
                                              std::function<void(const DroppedOutput&)> hear) {
  return inner_->OnDroppedOutput(run, std::move(hear));
}

std::string FaultyProcesses::TrackingDescription() const { return inner_->TrackingDescription(); }

}  // namespace drover
