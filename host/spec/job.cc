// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job.h"

namespace drover {

std::string_view JobTypeName(JobType type) {
  switch (type) {
    case JobType::kService:
      return "service";
    case JobType::kBatch:
      return "batch";
    case JobType::kSystem:
      return "system";
    case JobType::kSysbatch:
      return "sysbatch";
  }
  return "unknown";
}

std::string_view RestartModeName(RestartPolicy::Mode mode) {
  return mode == RestartPolicy::Mode::kDelay ? "delay" : "fail";
}

std::string_view LifecycleHookName(Lifecycle::Hook hook) {
  switch (hook) {
    case Lifecycle::Hook::kPrestart:
      return "prestart";
    case Lifecycle::Hook::kPoststart:
      return "poststart";
    case Lifecycle::Hook::kPoststop:
      return "poststop";
  }
  return "unknown";
}

std::string_view HealthCheckName(UpdatePolicy::HealthCheck check) {
  switch (check) {
    case UpdatePolicy::HealthCheck::kChecks:
      return "checks";
    case UpdatePolicy::HealthCheck::kTaskStates:
      return "task_states";
    case UpdatePolicy::HealthCheck::kManual:
      return "manual";
  }
  return "unknown";
}

RestartPolicy DefaultRestartPolicy(JobType type) {
  RestartPolicy policy;
  if (type == JobType::kBatch || type == JobType::kSysbatch) {
    policy.attempts = 3;
    policy.interval = std::chrono::hours(24);
  }
  return policy;
}

const Task* FindTask(const TaskGroup& group, std::string_view name) {
  for (const Task& task : group.tasks) {
    if (task.name == name) return &task;
  }
  return nullptr;
}

const TaskGroup* FindGroup(const Job& job, std::string_view name) {
  for (const TaskGroup& group : job.groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

const TaskAction* FindAction(const Task& task, std::string_view name) {
  for (const TaskAction& action : task.actions) {
    if (action.name == name) return &action;
  }
  return nullptr;
}

StringMap MetaOf(const Job& job, const TaskGroup& group, const Task& task) {
  StringMap meta = task.meta;
  meta.insert(group.meta.begin(), group.meta.end());  // keeps what is there
  meta.insert(job.meta.begin(), job.meta.end());
  if (job.parameterized) {
    for (const std::string& key : job.parameterized->meta_optional) meta.try_emplace(key);
  }
  return meta;
}

}  // namespace drover
