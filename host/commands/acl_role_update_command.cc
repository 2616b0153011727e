// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/cli/acl_options.h"
#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/acl_view.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclRoleUpdateCommand {
  std::string id;
  std::string name;
  std::string description;
  PolicyOptions of;
  bool no_merge = false;

  void Declare(CLI::App* command) {
    command->add_option("ROLE", id, "Its id")->required();
    command->add_option("--name", name, "Its name from now on");
    command->add_option("--description", description, "Is kept with it");
    of.Declare(command, "A policy that it gets beside those that it has; may be repeated");
    command->add_flag("--no-merge", no_merge, "Forgets what is not given, also its policies");
  }

  Status Check() const {
    if (!no_merge || (!name.empty() && !of.policies.empty())) return {};
    return Error(Code::kInvalidArgument, "--no-merge needs --name and --policy");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    const std::string path = ApiPath("/v1/acl/role", id);
    DROVER_ASSIGN(json role, client->Get(path));
    DROVER_TRY(CheckIsObject(role));
    if (no_merge || !name.empty()) role["Name"] = name;
    if (no_merge || !description.empty()) role["Description"] = description;
    std::vector<std::string> policies = of.policies;
    if (!no_merge) {
      for (const json& one : ListField(role, "Policies")) {
        policies.push_back(RawField(one, "Name"));
      }
    }
    role["Policies"] = PolicyLinks(policies);
    DROVER_ASSIGN(const json changed, client->Put(path, role));
    return out->Show(changed, PrintRole);
  }
};

}  // namespace

void AddAclRoleUpdate(const ClientGroup& role) {
  role.Add<AclRoleUpdateCommand>("update", "Changes what is given of a role, and keeps the rest");
}

}  // namespace drover
