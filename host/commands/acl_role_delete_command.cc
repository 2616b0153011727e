// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclRoleDeleteCommand {
  std::string id;

  void Declare(CLI::App* command) { command->add_option("ROLE", id, "Its id")->required(); }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json answer, client->Delete(ApiPath("/v1/acl/role", id)));
    return out->Print(answer, "the role " + Printable(id) + " is deleted");
  }
};

}  // namespace

void AddAclRoleDelete(const ClientGroup& role) {
  role.Add<AclRoleDeleteCommand>("delete", "Deletes a role");
}

}  // namespace drover
