// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclTokenSelfCommand {
  void Declare(CLI::App*) {}

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json found, client->Get("/v1/acl/token/self"));
    return out->Show(found, PrintToken);
  }
};

}  // namespace

void AddAclTokenSelf(const ClientGroup& token) {
  token.Add<AclTokenSelfCommand>("self", "Shows the token that this command sends");
}

}  // namespace drover
