// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclTokenDeleteCommand {
  std::string accessor;

  void Declare(CLI::App* command) {
    command->add_option("ACCESSOR", accessor, "Its accessor")->required();
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json answer, client->Delete(ApiPath("/v1/acl/token", accessor)));
    return out->Print(answer, "the token " + Printable(accessor) + " is deleted");
  }
};

}  // namespace

void AddAclTokenDelete(const ClientGroup& token) {
  token.Add<AclTokenDeleteCommand>("delete", "Deletes a token");
}

}  // namespace drover
