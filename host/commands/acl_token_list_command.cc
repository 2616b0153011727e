// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclTokenListCommand {
  void Declare(CLI::App*) {}

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json found, client->Get("/v1/acl/tokens"));
    DROVER_TRY(CheckIsList(found));
    return out->Print(found, TokenTable(found), "No tokens found");
  }
};

}  // namespace

void AddAclTokenList(const ClientGroup& token) {
  token.Add<AclTokenListCommand>("list", "Lists the tokens, without their secrets");
}

}  // namespace drover
