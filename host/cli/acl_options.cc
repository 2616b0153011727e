// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/acl_options.h"

#include <nlohmann/json.hpp>

namespace drover {

using nlohmann::json;

void PolicyOptions::Declare(CLI::App* command, const char* what) {
  command->add_option("--policy", policies, what)->allow_extra_args(false);
}

void TokenLinkOptions::Declare(CLI::App* command) {
  of.Declare(command, "A policy that it has; may be repeated");
  command->add_option("--role-name", role_names, "A role that it has; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--role-id", role_ids, "A role that it has, by its id; may be repeated")
      ->allow_extra_args(false);
}

void TokenLinkOptions::AddTo(json* token) const {
  if (!of.policies.empty()) (*token)["Policies"] = of.policies;
  if (role_names.empty() && role_ids.empty()) return;
  json roles = json::array();
  for (const std::string& name : role_names) roles.push_back(json::object({{"Name", name}}));
  for (const std::string& id : role_ids) roles.push_back(json::object({{"ID", id}}));
  (*token)["Roles"] = std::move(roles);
}

json PolicyLinks(const std::vector<std::string>& policies) {
  json links = json::array();
  for (const std::string& name : policies) links.push_back(json::object({{"Name", name}}));
  return links;
}

}  // namespace drover
