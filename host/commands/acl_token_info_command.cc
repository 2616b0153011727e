// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclTokenInfoCommand {
  std::string accessor;

  void Declare(CLI::App* command) {
    command->add_option("ACCESSOR", accessor, "Its accessor")->required();
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json found, client->Get(ApiPath("/v1/acl/token", accessor)));
    return out->Show(found, PrintToken);
  }
};

}  // namespace

void AddAclTokenInfo(const ClientGroup& token) {
  token.Add<AclTokenInfoCommand>("info", "Shows a token");
}

}  // namespace drover
