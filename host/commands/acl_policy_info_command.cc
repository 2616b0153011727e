// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclPolicyInfoCommand {
  std::string name;

  void Declare(CLI::App* command) { command->add_option("POLICY", name, "Its name")->required(); }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json found, client->Get(ApiPath("/v1/acl/policy", name)));
    return out->Show(found, PrintPolicy);
  }
};

}  // namespace

void AddAclPolicyInfo(const ClientGroup& policy) {
  policy.Add<AclPolicyInfoCommand>("info", "Shows a policy");
}

}  // namespace drover
