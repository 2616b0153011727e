// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/acl_options.h"
#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclRoleCreateCommand {
  std::string name;
  std::string description;
  PolicyOptions of;

  void Declare(CLI::App* command) {
    command->add_option("--name", name, "Its name")->required();
    command->add_option("--description", description, "Is kept with it");
    of.Declare(command, "A policy that it has; may be repeated");
  }

  Status Check() const {
    if (!of.policies.empty()) return {};
    return Error(Code::kInvalidArgument, "a role needs a policy: write --policy NAME");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    const json body = {
        {"Name", name}, {"Description", description}, {"Policies", PolicyLinks(of.policies)}};
    DROVER_ASSIGN(const json role, client->Put("/v1/acl/role", body));
    return out->Show(role, PrintRole);
  }
};

}  // namespace

void AddAclRoleCreate(const ClientGroup& role) {
  role.Add<AclRoleCreateCommand>("create", "Makes a role, which is a name for some policies");
}

}  // namespace drover
