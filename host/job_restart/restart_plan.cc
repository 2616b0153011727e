// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/job_restart/restart_plan.h"

#include <algorithm>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

bool Names(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

bool IsChosen(const JobRestart& restart, const AllocRecord& record) {
  if (record.alloc->server_terminal() || !record.next.empty() || record.collected) return false;
  if (!restart.groups.empty() && !Names(restart.groups, record.alloc->group_name)) return false;
  return restart.tasks.empty() || !TasksToRestart(restart, *record.alloc).empty();
}

// Returns whether JOB or one of its allocations has a group with HAS.
template <typename F>
bool AnyGroup(const JobRecord& job, const JobAllocs& allocs, F has) {
  if (std::ranges::any_of(job.job->groups, has)) return true;
  return std::ranges::any_of(allocs, [&](const auto& record) {
    const TaskGroup* const group = record->alloc->group();
    return group != nullptr && has(*group);
  });
}

Status CheckNames(const JobRestart& restart, const JobRecord& job, const JobAllocs& allocs) {
  for (const std::string& name : restart.groups) {
    const auto is_it = [&name](const TaskGroup& group) { return group.name == name; };
    if (AnyGroup(job, allocs, is_it)) continue;
    return Error(Code::kInvalidArgument, "/Groups: the job has no group " + Quoted(name));
  }
  for (const std::string& name : restart.tasks) {
    const auto has_it = [&name](const TaskGroup& group) {
      return FindTask(group, name) != nullptr;
    };
    if (AnyGroup(job, allocs, has_it)) continue;
    return Error(Code::kInvalidArgument, "/Tasks: the job has no task " + Quoted(name));
  }
  return {};
}

}  // namespace

std::vector<std::string> TasksToRestart(const JobRestart& restart, const Allocation& alloc) {
  std::vector<std::string> tasks;
  const TaskGroup* const group = alloc.group();
  if (group == nullptr) return tasks;
  for (const Task& task : group->tasks) {
    if (Names(restart.tasks, task.name)) tasks.push_back(task.name);
  }
  return tasks;
}

Result<JobRestart> MakeRestart(const RestartRequest& request, const JobRecord& job,
                               const JobAllocs& allocs) {
  JobRestart restart = request.restart;
  if (restart.reschedule && job.job->type == JobType::kSysbatch) {
    return Error(Code::kInvalidArgument,
                 "Jobs of type \"sysbatch\" are not allowed to be rescheduled.");
  }
  DROVER_TRY(CheckNames(restart, job, allocs));
  restart.job_namespace = job.job->job_namespace;
  restart.job_id = job.job->id;
  restart.job_create_index = job.create_index;
  for (const auto& record : allocs) {
    if (IsChosen(restart, *record)) restart.allocs.push_back(record->id());
  }
  if (request.percent > 0) {
    const std::size_t parts = restart.allocs.size() * static_cast<std::size_t>(request.percent);
    restart.batch_size = static_cast<int>(std::max<std::size_t>((parts + 99) / 100, 1));
  }
  return restart;
}

RestartBatch NextBatch(const JobRestart& restart, const Tables& tables) {
  RestartBatch batch;
  const std::size_t count = restart.allocs.size();
  const bool again = restart.begun > restart.done;
  const std::size_t limit = again ? std::min<std::size_t>(restart.begun, count) : count;
  std::size_t at = std::min<std::size_t>(restart.done, count);
  while (at < limit && (again || batch.allocs.size() <
                                     static_cast<std::size_t>(std::max(restart.batch_size, 1)))) {
    const std::string& id = restart.allocs[at++];
    const auto record = Tables::Find(tables.allocs, id);
    if (record == nullptr) continue;
    const bool stays =
        record->next.empty() && !record->collected && !record->alloc->server_terminal();
    if (stays || (again && restart.reschedule)) batch.allocs.push_back(id);
  }
  // What is left out at the end needs no batch of its own.
  batch.end = batch.allocs.empty() && !again ? count : at;
  return batch;
}

}  // namespace drover
