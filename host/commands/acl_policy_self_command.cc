// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclPolicySelfCommand {
  void Declare(CLI::App*) {}

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json found, client->Get("/v1/acl/policy/self"));
    DROVER_TRY(CheckIsList(found));
    return out->Print(found, PolicyTable(found), "No policies found");
  }
};

}  // namespace

void AddAclPolicySelf(const ClientGroup& policy) {
  policy.Add<AclPolicySelfCommand>("self",
                                   "Lists the policies of the token that this command sends");
}

}  // namespace drover
