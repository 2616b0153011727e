// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/activity_log.h"

#include <spdlog/spdlog.h>

#include <string>

namespace drover {
namespace {

bool Reads() { return spdlog::should_log(spdlog::level::debug); }

}  // namespace

void LogTaskEvents(const AllocSnapshot& before, const AllocState& now) {
  if (!Reads()) return;
  for (const auto& [name, task] : now.tasks) {
    WallTime last = 0;
    if (before != nullptr) {
      const auto known = before->tasks.find(name);
      if (known != before->tasks.end() && known->second == task) continue;
      if (known != before->tasks.end() && !known->second->events.empty()) {
        last = known->second->events.back()->time;
      }
    }
    for (const TaskEvent& event : task->events) {
      if (event.time <= last) continue;
      const std::string said =
          event.display_message.empty() ? DisplayMessage(event) : event.display_message;
      spdlog::debug("task event: alloc_id={} task={} type=\"{}\" msg=\"{}\" failed={}",
                    now.alloc->id, name, event.type, said, event.fails_task());
    }
  }
}

void LogEvaluations(const std::vector<StateEvent>& changes) {
  if (!Reads()) return;
  for (const StateEvent& change : changes) {
    const auto* eval = std::get_if<std::shared_ptr<const Evaluation>>(&change.record);
    if (eval == nullptr || change.erased) continue;
    spdlog::debug("evaluation: eval_id={} job_id={} namespace={} triggered_by={} status={}",
                  (*eval)->id, (*eval)->job_id, (*eval)->job_namespace, (*eval)->triggered_by.str(),
                  (*eval)->status.str());
  }
}

}  // namespace drover
