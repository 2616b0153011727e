// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclRoleListCommand {
  void Declare(CLI::App*) {}

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json found, client->Get("/v1/acl/roles"));
    DROVER_TRY(CheckIsList(found));
    return out->Print(found, RoleTable(found), "No roles found");
  }
};

}  // namespace

void AddAclRoleList(const ClientGroup& role) {
  role.Add<AclRoleListCommand>("list", "Lists the roles");
}

}  // namespace drover
