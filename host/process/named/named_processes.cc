// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/named/named_processes.h"

#include <map>
#include <utility>

#include "host/process/process_service.h"

namespace drover {

Result<RunId> FindNamed(const ProcessService& service, const RunId& run, const std::string& name) {
  if (name == kMainProcess) return run;
  using Names = std::map<std::string, RunId>;
  DROVER_ASSIGN(const Names names, service.Named(run));
  const auto found = names.find(name);
  if (found == names.end())
    return Error(Code::kNotFound, "the run has no process \"" + name + "\"");
  return found->second;
}

Co<Result<ProcessInfo>> StartNamed(ProcessService* service, Context context, RunId run,
                                   std::string name, ProcessSpec spec) {
  spec.run = run;
  if (name == kMainProcess) co_return co_await service->Start(context, std::move(spec));
  DROVER_CO_ASSIGN(spec.run, service->AddNamed(run, name));
  spec.group = run;
  spec.logs.task += "." + name;
  Result<ProcessInfo> started = co_await service->Start(context, std::move(spec));
  if (started.ok()) co_return started;
  // Start has cleaned up already, so this forgets the name only. If it fails, the name stays, and
  // the release of the run tries again.
  const Status released = co_await ReleaseNamed(service, context, run, name);
  if (!released.ok()) co_return started.error().WithContext(released.error().message());
  co_return started;
}

Co<Status> ReleaseNamed(ProcessService* service, Context context, RunId run, std::string name) {
  if (name == kMainProcess) co_return co_await service->Release(context, run);
  const Result<RunId> process = FindNamed(*service, run, name);
  if (process.code() == Code::kNotFound) co_return Status();
  DROVER_CO_TRY(process);
  DROVER_CO_TRY(co_await service->Release(context, *process));
  co_return service->ForgetNamed(run, name);
}

}  // namespace drover
