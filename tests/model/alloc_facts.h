// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "host/state/tables.h"

// What the model reads from the record of an allocation.
namespace drover {

// Work that is due may be so late, in simulated time.
inline constexpr Duration kLate = 3s;

inline std::string NameOf(const AllocRecord& record) {
  return record.alloc->name + " " + record.id().substr(0, 8);
}

inline const TaskGroup* GroupOf(const Job& job) {
  return job.groups.empty() ? nullptr : &job.groups.front();
}

inline bool IsPerNodeType(JobType type) {
  return type == JobType::kSystem || type == JobType::kSysbatch;
}

inline bool IsLive(const AllocRecord& record) {
  return record.alloc->desired_status == DesiredStatus::kRun &&
         !IsTerminal(record.reported.status.status);
}

inline bool IsHealthy(const AllocRecord& record) {
  return record.reported.health.has_value() && record.reported.health->healthy;
}

// Returns whether a disconnection of RECORD goes on, or has not been decided on yet.
inline bool IsUnknown(const AllocRecord& record) {
  const auto& states = record.changes().states;
  return record.reported.status.status == ClientStatus::kUnknown ||
         (!states.empty() && states.back().to == ClientStatus::kUnknown);
}

inline bool IsReady(const Tables& tables, const std::string& node_id) {
  const auto node = Tables::Find(tables.nodes, node_id);
  return node != nullptr && node->status == "ready";
}

// When the allocation failed: the end of its last task.
inline WallTime EndOf(const AllocRecord& record) {
  WallTime last = 0;
  for (const auto& [name, task] : record.reported.tasks) {
    if (task != nullptr) last = std::max(last, task->finished_at);
  }
  return last != 0 ? last : record.reported.modify_time;
}

inline std::ptrdiff_t AttemptsBefore(const ReschedulePolicy& policy,
                                     const std::vector<RescheduleEvent>& past, WallTime failed_at) {
  return std::ranges::count_if(
      past, [&](const auto& of) { return failed_at - of.time < policy.interval.count(); });
}

}  // namespace drover
