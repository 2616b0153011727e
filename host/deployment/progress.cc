// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/deployment/progress.h"

#include <algorithm>

namespace drover {
namespace {

// Returns the verdict on RECORD. An allocation that has ended by itself before its verdict is
// unhealthy: nobody needs to watch it any longer.
std::optional<AllocHealth> HealthOf(const AllocRecord& record, const GivenHealth& given) {
  if (const auto found = given.find(record.id()); found != given.end()) return found->second;
  if (record.reported.health) return record.reported.health;
  if (!record.client_terminal() || record.alloc->server_terminal()) return std::nullopt;
  return AllocHealth{false, record.reported.modify_time};
}

// Returns whether the reschedule policy of an unhealthy allocation has to be asked now. One that
// has failed is asked anyway.
bool MustAsk(const AllocRecord& record, JobType type) {
  const TaskGroup* const group = record.alloc->group();
  return type == JobType::kService && !record.terminal() && !record.reschedule &&
         record.next.empty() && group != nullptr && group->reschedule.enabled();
}

// Returns whether RECORD has ended or must stop, and nothing will take its place.
bool IsGone(const AllocRecord& record, const DeploymentInput& view) {
  if (!record.terminal() || !record.next.empty()) return false;
  if (record.no_reschedule) return true;
  if (record.alloc->server_terminal() || record.force_reschedule || !view.is_replaced) return false;
  const ClientStatus status = record.reported.status.status;
  const bool by_itself = status == ClientStatus::kFailed || status == ClientStatus::kComplete;
  return by_itself && !view.is_replaced(record);
}

// Returns whether RECORD is unknown, or its return has not been decided on yet.
bool IsAway(const AllocRecord& record) {
  const auto& states = record.changes().states;
  return !states.empty() && states.back().to == ClientStatus::kUnknown;
}

// Returns whether RECORD is to run, and its place is not that of another one while it is away.
bool IsLive(const AllocRecord& record) {
  return !record.terminal() && !(IsAway(record) && !record.next.empty());
}

// Returns when RECORD, which is not live, ceased to be so.
WallTime EndOf(const AllocRecord& record) {
  const bool reported = record.client_terminal() || IsAway(record);
  return reported ? record.reported.modify_time : record.alloc->modify_time;
}

void Add(const AllocRecord& record, const DeploymentInput& view, const GivenHealth& given,
         GroupProgress* of) {
  const bool runs = IsLive(record);
  ++of->placed;
  of->live += runs ? 1 : 0;
  of->gone += IsGone(record, view) ? 1 : 0;
  if (record.alloc->canary) of->canaries.push_back(record.id());
  const std::optional<AllocHealth> health = HealthOf(record, given);
  if (!health) return;
  if (!health->healthy) {
    ++of->unhealthy;
    if (MustAsk(record, view.job->job->type)) of->to_replace.push_back(record.id());
    return;
  }
  ++of->healthy;
  of->live_healthy += runs ? 1 : 0;
  of->healthy_canaries += runs && record.alloc->canary ? 1 : 0;
  // The clock of the node may be ahead. Until it ended, it needed no progress.
  const WallTime last = runs ? health->timestamp : std::max(health->timestamp, EndOf(record));
  of->newest_healthy = std::max(of->newest_healthy, std::min(last, view.now));
}

// Returns whether RECORD, which is of an older version, stays until its node takes new ones.
bool StaysOlder(const AllocRecord& record, const DeploymentInput& view) {
  if (view.job->job->type != JobType::kSystem || view.nodes == nullptr) return false;
  const auto node = view.nodes->find(record.alloc->node_id);
  return node != view.nodes->end() && !node->second->eligible;
}

}  // namespace

std::map<std::string, GroupProgress> LookAtGroups(const DeploymentInput& view,
                                                  const GivenHealth& given) {
  const Deployment& deployment = *view.deployment;
  std::map<std::string, GroupProgress> all;
  for (const auto& [name, group] : deployment.groups) all[name];
  for (const auto& record : *view.allocs) {
    const auto of = all.find(record->alloc->group_name);
    // Allocations of a purged job of the same id do not count.
    if (of == all.end() || record->job->create_index != deployment.job_create_index) continue;
    if (record->alloc->deployment_id == deployment.id) {
      Add(*record, view, given, &of->second);
    } else if (record->job->version != deployment.job_version && IsLive(*record) &&
               !StaysOlder(*record, view)) {
      of->second.has_older = true;
    }
  }
  return all;
}

}  // namespace drover
