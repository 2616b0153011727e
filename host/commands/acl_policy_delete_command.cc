// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclPolicyDeleteCommand {
  std::string name;

  void Declare(CLI::App* command) { command->add_option("POLICY", name, "Its name")->required(); }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json answer, client->Delete(ApiPath("/v1/acl/policy", name)));
    return out->Print(answer, "the policy " + Printable(name) + " is deleted");
  }
};

}  // namespace

void AddAclPolicyDelete(const ClientGroup& policy) {
  policy.Add<AclPolicyDeleteCommand>("delete", "Deletes a policy");
}

}  // namespace drover
