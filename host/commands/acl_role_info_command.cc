// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclRoleInfoCommand {
  std::string id;
  bool by_name = false;

  void Declare(CLI::App* command) {
    command->add_option("ROLE", id, "Its id")->required();
    command->add_flag("--by-name", by_name, "ROLE is its name");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json role,
                  client->Get(ApiPath(by_name ? "/v1/acl/role/name" : "/v1/acl/role", id)));
    return out->Show(role, PrintRole);
  }
};

}  // namespace

void AddAclRoleInfo(const ClientGroup& role) {
  role.Add<AclRoleInfoCommand>("info", "Shows a role");
}

}  // namespace drover
