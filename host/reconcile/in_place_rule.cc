// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/reconcile/in_place_rule.h"

namespace drover {
namespace {

// Sets those members of TASK whose change a running task need not notice to the values of TO.
void TakeOver(Task* task, const Task& to) {
  task->restart_policy = to.restart_policy;
  task->kill_timeout = to.kill_timeout;
  task->kill_signal = to.kill_signal;
  task->shutdown_delay = to.shutdown_delay;
  task->log_config.max_files = to.log_config.max_files;  // used at the next start
  task->log_config.max_file_size_bytes = to.log_config.max_file_size_bytes;
  task->actions = to.actions;
  task->constraints = to.constraints;  // used only to choose a node
  task->services = to.services;        // registered anew, and their checks run anew
  task->scaling = to.scaling;          // only an autoscaler reads it
  task->meta = to.meta;                // compared together with the metadata of job and group
}

// Like the function above, but for a group. The tasks stay unchanged.
void TakeOver(TaskGroup* group, const TaskGroup& to) {
  group->count = to.count;
  group->restart_policy = to.restart_policy;
  group->shutdown_delay = to.shutdown_delay;
  group->max_run_duration = to.max_run_duration;
  group->migrate_max_parallel = to.migrate_max_parallel;
  group->update = to.update;
  group->migrate_health = to.migrate_health;
  group->rollout = to.rollout;
  group->reschedule = to.reschedule;
  group->disconnect = to.disconnect;
  group->constraints = to.constraints;
  group->services = to.services;
  group->scaling = to.scaling;
  group->meta = to.meta;
}

}  // namespace

bool CanUpdateInPlace(const Job& from, const Job& to, std::string_view group) {
  const TaskGroup* const before = FindGroup(from, group);
  const TaskGroup* const after = FindGroup(to, group);
  if (before == nullptr || after == nullptr || before->tasks.size() != after->tasks.size()) {
    return false;
  }
  if (from.type != to.type) return false;  // the type decides whether an ended task starts again
  // A member that is not taken over must stay the same. So a new field of the job forces a new
  // allocation, until somebody lists it above.
  TaskGroup same = *before;
  TakeOver(&same, *after);
  same.tasks.clear();
  for (const Task& task : after->tasks) {  // their order has no meaning
    const Task* const old = FindTask(*before, task.name);
    if (old == nullptr || MetaOf(from, *before, *old) != MetaOf(to, *after, task)) return false;
    TakeOver(&same.tasks.emplace_back(*old), task);
  }
  return same == *after;
}

}  // namespace drover
