// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode_scaling.h"

#include <nlohmann/json.hpp>
#include <string>

namespace drover {
namespace {

using nlohmann::json;

json EncodeTarget(const ScalingRecord& record) {
  json target = {
      {"Namespace", record.job_namespace}, {"Job", record.job_id}, {"Group", record.group}};
  if (!record.task.empty()) target["Task"] = record.task;
  return target;
}

// Adds the answers of SCALING to BLOCK, a block of GROUP, or of its task TASK.
void AddTo(json* block, const ScalingRecords& scaling, const std::string& group,
           const std::string& task) {
  if (!block->is_object()) return;
  for (const auto& record : scaling) {
    if (record->group != group || record->task != task) continue;
    if (block->at("Type") != record->policy.type) continue;
    (*block)["ID"] = record->id;
    (*block)["Target"] = EncodeTarget(*record);
    (*block)["CreateIndex"] = record->create_index;
    (*block)["ModifyIndex"] = record->modify_index;
  }
}

}  // namespace

json EncodeScalingStub(const ScalingRecord& record) {
  return {{"ID", record.id},
          {"Enabled", record.policy.enabled},
          {"Type", record.policy.type},
          {"Target", EncodeTarget(record)},
          {"CreateIndex", record.create_index},
          {"ModifyIndex", record.modify_index}};
}

json EncodeScalingPolicy(const ScalingRecord& record) {
  json out = EncodeScalingStub(record);
  out["Min"] = record.policy.min;
  out["Max"] = record.policy.max;
  const json body = json::parse(record.policy.policy_json, nullptr, false);
  out["Policy"] = body.is_discarded() ? json() : body;
  return out;
}

void AddScalingAnswers(const ScalingRecords& scaling, json* job) {
  for (json& group : job->at("TaskGroups")) {
    const auto name = group.at("Name").get<std::string>();
    AddTo(&group["Scaling"], scaling, name, "");
    for (json& task : group.at("Tasks")) {
      json& policies = task["ScalingPolicies"];
      if (!policies.is_array()) continue;
      for (json& policy : policies) AddTo(&policy, scaling, name, task.at("Name"));
    }
  }
}

}  // namespace drover
