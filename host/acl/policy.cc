// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/policy.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace drover {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<AclArea, const char*>, kAclAreas> kAreaFields = {{
    {AclArea::kAgent, "Agent"},
    {AclArea::kNode, "Node"},
    {AclArea::kOperator, "Operator"},
    {AclArea::kQuota, "Quota"},
    {AclArea::kPlugin, "Plugin"},
}};

template <typename Right>
json NamesJson(RightSet<Right> rights) {
  json names = json::array();
  for (const RightName<Right>& one : RightNames<Right>()) {
    if (rights.Has(one.right)) names.push_back(one.name);
  }
  return names;
}

// Throws json::exception if NAMES are no names of rights.
template <typename Right>
RightSet<Right> RightsOfJson(const json& names) {
  RightSet<Right> rights;
  for (const json& name : names) {
    const auto right = RightNamed<Right>(name.get_ref<const std::string&>());
    if (!right) throw json::other_error::create(501, "an unknown right", nullptr);
    rights.Add(*right);
  }
  return rights;
}

template <typename Rule>
json NamedRulesJson(const std::vector<Rule>& rules) {
  json list = json::array();
  for (const Rule& rule : rules) {
    list.push_back(
        {{"Name", rule.name}, {"Policy", rule.word}, {"Capabilities", NamesJson(rule.rights)}});
  }
  return list.empty() ? json(nullptr) : list;
}

template <typename Rule, typename Right>
void ReadNamedRules(const json& list, std::vector<Rule>* rules) {
  for (const json& one : list) {
    Rule rule;
    rule.name = one.at("Name").get<std::string>();
    rule.word = one.value("Policy", "");
    rule.rights = RightsOfJson<Right>(one.at("Capabilities"));
    rules->push_back(std::move(rule));
  }
}

json NamespaceJson(const NamespaceRule& rule) {
  json variables = nullptr;
  for (const VariableRule& path : rule.variables) {
    variables["Paths"].push_back(
        {{"PathSpec", path.path}, {"Capabilities", NamesJson(path.rights)}});
  }
  return {{"Name", rule.name},
          {"Policy", rule.word},
          {"Capabilities", NamesJson(rule.capabilities)},
          {"Variables", std::move(variables)}};
}

NamespaceRule NamespaceOfJson(const json& from) {
  NamespaceRule rule;
  rule.name = from.at("Name").get<std::string>();
  rule.word = from.value("Policy", "");
  rule.capabilities = RightsOfJson<Capability>(from.at("Capabilities"));
  const json& variables = from.at("Variables");
  if (variables.is_null()) return rule;
  for (const json& path : variables.at("Paths")) {
    rule.variables.push_back({path.at("PathSpec").get<std::string>(),
                              RightsOfJson<VariableRight>(path.at("Capabilities"))});
  }
  return rule;
}

}  // namespace

json PolicyJson(const Policy& policy) {
  json namespaces = json::array();
  for (const NamespaceRule& rule : policy.namespaces) namespaces.push_back(NamespaceJson(rule));
  json rules = {{"Namespaces", namespaces.empty() ? json(nullptr) : std::move(namespaces)},
                {"NodePools", NamedRulesJson(policy.pools)},
                {"HostVolumes", NamedRulesJson(policy.volumes)}};
  for (const auto& [area, field] : kAreaFields) {
    const AclLevel level = policy.level(area);
    rules[field] = nullptr;
    if (level != AclLevel::kUnset) rules[field] = {{"Policy", NameOf(level)}};
  }
  return rules;
}

Result<Policy> PolicyOfJson(const json& rules) {
  try {
    Policy policy;
    for (const json& one : rules.at("Namespaces")) {
      policy.namespaces.push_back(NamespaceOfJson(one));
    }
    ReadNamedRules<PoolRule, PoolRight>(rules.at("NodePools"), &policy.pools);
    ReadNamedRules<VolumeRule, VolumeRight>(rules.at("HostVolumes"), &policy.volumes);
    for (const auto& [area, field] : kAreaFields) {
      const json& level = rules.at(field);
      if (level.is_null()) continue;
      const auto known = LevelWord(area, level.at("Policy").get<std::string>());
      if (!known) return Error(Code::kInvalidArgument, std::string(field) + ": an unknown level");
      policy.levels[static_cast<std::size_t>(area)] = *known;
    }
    return policy;
  } catch (const json::exception& e) {
    return Error(Code::kInvalidArgument, e.what());
  }
}

}  // namespace drover
