// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/encode/encode.h"

namespace drover {

using nlohmann::json;

json EncodeFailure(const PlacementFailure& failure) {
  const auto map = [](const std::map<std::string, int>& of) {
    return of.empty() ? json(nullptr) : json(of);
  };
  return {{"NodesEvaluated", failure.nodes_evaluated},
          {"NodesFiltered", failure.nodes_filtered},
          {"NodesInPool", failure.nodes_in_pool},
          {"NodePool", failure.node_pool},
          {"NodesAvailable", json(failure.nodes_available)},
          {"ClassFiltered", nullptr},
          {"ConstraintFiltered", map(failure.constraint_filtered)},
          {"NodesExhausted", failure.nodes_exhausted},
          {"ClassExhausted", nullptr},
          {"DimensionExhausted", map(failure.dimension_exhausted)},
          {"QuotaExhausted", nullptr},
          {"ResourcesExhausted", nullptr},
          {"Scores", nullptr},
          {"AllocationTime", 0},
          {"CoalescedFailures", failure.coalesced_failures},
          {"ScoreMetaData", nullptr}};
}

json EncodeEval(const Evaluation& eval) {
  json failed = nullptr;
  for (const auto& [group, failure] : eval.failed_groups) failed[group] = EncodeFailure(failure);
  json encoded = {
      {"ID", eval.id},
      {"Priority", eval.priority},
      {"Type", JobTypeName(eval.type)},
      {"TriggeredBy", eval.triggered_by},
      {"Namespace", eval.job_namespace},
      {"JobID", eval.job_id},
      {"JobModifyIndex", eval.job_modify_index},
      {"NodeID", eval.node_id},
      {"NodeModifyIndex", 0},
      {"DeploymentID", eval.deployment_id},
      {"Status", eval.status},
      {"StatusDescription", eval.status_description},
      {"Wait", eval.follows_up() ? std::max(eval.wait_until - eval.create_time, WallTime{0}) : 0},
      {"NextEval", eval.next_eval},
      {"PreviousEval", eval.previous_eval},
      {"BlockedEval", eval.blocked_eval},
      {"RelatedEvals", nullptr},
      {"FailedTGAllocs", std::move(failed)},
      {"PlanAnnotations", nullptr},
      {"ClassEligibility", nullptr},
      {"EscapedComputedClass", false},
      {"QuotaLimitReached", ""},
      {"AnnotatePlan", false},
      {"QueuedAllocations", eval.queued},
      {"SnapshotIndex", eval.modify_index},
      {"CreateIndex", eval.create_index},
      {"ModifyIndex", eval.modify_index},
      {"CreateTime", eval.create_time},
      {"ModifyTime", eval.modify_time}};
  // The Go client takes an empty time for a mistake.
  if (eval.wait_until != 0) encoded["WaitUntil"] = Rfc3339(eval.wait_until);
  return encoded;
}

}  // namespace drover
