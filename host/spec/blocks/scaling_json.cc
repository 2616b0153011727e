// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/scaling_json.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

namespace drover {
namespace {

using nlohmann::json;

void ReadScaling(const JobMembers& in, ScalingPolicy* policy) {
  in.Read("Type", &policy->type);
  in.Read("Enabled", &policy->enabled);
  in.Read("Min", &policy->min);
  in.Read("Max", &policy->max);
  const json* const body = in.Find("Policy");
  if (body != nullptr && body->is_object()) policy->policy_json = body->dump();
}

// Calls EACH with each scaling block of JOB.
void ForEachScaling(json* job, const std::function<void(json*)>& each) {
  const auto of = [](json* object, const char* name, const auto& call) {
    const auto found = object->find(name);
    if (found != object->end() && !found->is_null()) call(&*found);
  };
  for (json& group : job->at("TaskGroups")) {
    of(&group, "Scaling", each);
    for (json& task : group.at("Tasks")) {
      of(&task, "ScalingPolicies", [&each](json* list) {
        for (json& policy : *list) each(&policy);
      });
    }
  }
}

}  // namespace

void ReadGroupScaling(const JobMembers& in, TaskGroup* group) {
  if (in.Find("Scaling") == nullptr) return;
  const JobMembers scaling = in.Object("Scaling");
  int min = group->count;
  scaling.Read("Min", &min);
  if (in.Find("Count") == nullptr && min >= 0) group->count = min;
  ScalingPolicy& policy = group->scaling.emplace();
  policy.min = group->count;
  ReadScaling(scaling, &policy);
  if (policy.type.empty()) policy.type = scaling_type::kHorizontal;
}

void ReadTaskScaling(const JobMembers& in, ScalingPolicy* policy) { ReadScaling(in, policy); }

json ScalingToJson(const ScalingPolicy& policy) {
  json out = {{"Type", policy.type},
              {"Enabled", policy.enabled},
              {"Min", policy.min},
              {"Max", policy.max},
              {"Policy", nullptr}};
  // If the text is not JSON after all, the value stays null.
  json body = json::parse(policy.policy_json, nullptr, false);
  if (!body.is_discarded()) out["Policy"] = std::move(body);
  return out;
}

json ScalingsToJson(const std::vector<ScalingPolicy>& policies) {
  if (policies.empty()) return nullptr;
  json list = json::array();
  for (const ScalingPolicy& policy : policies) list.push_back(ScalingToJson(policy));
  return list;
}

void EraseScalingAnswers(json* job) {
  ForEachScaling(job, [](json* scaling) {
    for (const char* field : {"ID", "Namespace", "Target", "CreateIndex", "ModifyIndex"}) {
      scaling->erase(field);
    }
  });
}

bool DisableScaling(Job* job) {
  bool any = false;
  const auto disable = [&any](ScalingPolicy* policy) {
    any = std::exchange(policy->enabled, false) || any;
  };
  for (TaskGroup& group : job->groups) {
    if (group.scaling) disable(&*group.scaling);
    for (Task& task : group.tasks) {
      for (ScalingPolicy& policy : task.scaling) disable(&policy);
    }
  }
  return any;
}

void DisableScaling(json* job) {
  ForEachScaling(job, [](json* scaling) { (*scaling)["Enabled"] = false; });
}

}  // namespace drover
