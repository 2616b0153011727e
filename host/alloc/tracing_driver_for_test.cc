// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/tracing_driver_for_test.h"

namespace drover {

Co<Result<StartedTask>> TracingDriver::Start(Context context,
                                             std::shared_ptr<const TaskConfig> config) {
  Note(TraceEntry::Kind::kBegin, config->task_name);
  networks[config->task_name] = config->network_namespace_path;
  auto started = co_await FakeDriver::Start(context, config);
  if (started.ok()) {
    Note(TraceEntry::Kind::kStart, config->task_name);
    open_[config->run_id] = config->task_name;
  }
  co_return started;
}

Co<Result<ExitResult>> TracingDriver::Wait(Context context, RunId run) {
  auto result = co_await FakeDriver::Wait(context, run);
  const auto open = open_.find(run);
  if (result.ok() && open != open_.end()) {
    Note(TraceEntry::Kind::kEnd, open->second, result->Successful());
    open_.erase(open);
  }
  co_return result;
}

Co<Status> TracingDriver::Stop(Context context, RunId run, Duration timeout, std::string signal) {
  const auto open = open_.find(run);
  if (open != open_.end()) Note(TraceEntry::Kind::kStop, open->second);
  co_return co_await FakeDriver::Stop(context, run, timeout, signal);
}

std::string TracingDriver::TraceText() const {
  std::string text;
  for (const TraceEntry& entry : trace) {
    if (entry.kind != TraceEntry::Kind::kStart && entry.kind != TraceEntry::Kind::kEnd) continue;
    if (!text.empty()) text += ' ';
    text += (entry.kind == TraceEntry::Kind::kStart ? '+' : '-') + entry.task;
  }
  return text;
}

}  // namespace drover
