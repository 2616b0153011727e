// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/device_json.h"

#include <nlohmann/json.hpp>
#include <string>

namespace drover {
namespace {

using nlohmann::json;

// Reads the members that constraints and affinities have in common.
template <typename Rule>
void ReadRule(const JobMembers& in, Rule* rule) {
  in.Read("LTarget", &rule->left);
  in.Read("RTarget", &rule->right);
  std::string operand;
  in.Read("Operand", &operand);
  if (!operand.empty()) rule->operand = operand;
}

template <typename Rule>
json RuleToJson(const Rule& rule) {
  return {{"LTarget", rule.left}, {"RTarget", rule.right}, {"Operand", rule.operand}};
}

void ReadAffinity(const JobMembers& in, Affinity* affinity) {
  ReadRule(in, affinity);
  in.Read("Weight", &affinity->weight);
}

json AffinitiesToJson(const std::vector<Affinity>& affinities) {
  json list = json::array();
  for (const Affinity& affinity : affinities) {
    json& one = list.emplace_back(RuleToJson(affinity));
    one["Weight"] = affinity.weight;
  }
  return list.empty() ? json(nullptr) : list;
}

}  // namespace

void ReadConstraint(const JobMembers& in, Constraint* constraint) { ReadRule(in, constraint); }

void ReadDeviceRequest(const JobMembers& in, DeviceRequest* request) {
  in.Read("Name", &request->name);
  in.Read("Count", &request->count);
  in.ReadList("Constraints", &request->constraints, ReadConstraint);
  in.ReadList("Affinities", &request->affinities, ReadAffinity);
}

json ConstraintsToJson(const std::vector<Constraint>& constraints) {
  json list = json::array();
  for (const Constraint& constraint : constraints) list.push_back(RuleToJson(constraint));
  return list.empty() ? json(nullptr) : list;
}

json DeviceRequestsToJson(const std::vector<DeviceRequest>& requests) {
  json list = json::array();
  for (const DeviceRequest& request : requests) {
    list.push_back({{"Name", request.name},
                    {"Count", request.count},
                    {"Constraints", ConstraintsToJson(request.constraints)},
                    {"Affinities", AffinitiesToJson(request.affinities)}});
  }
  return list.empty() ? json(nullptr) : list;
}

}  // namespace drover
