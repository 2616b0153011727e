// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct NodeConfigCommand {
  bool servers = false;

  void Declare(CLI::App* command) {
    command->add_flag("--servers", servers, "Prints the servers that the node of the agent knows")
        ->required();
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json list, client->Get("/v1/agent/servers"));
    DROVER_TRY(CheckIsList(list));
    if (out->raw()) return out->Print(list);
    for (const json& server : AsList(list)) {
      if (server.is_string()) out->Line(Printable(server.get<std::string>()));
    }
    return kExitOk;
  }
};

}  // namespace

void AddNodeConfig(const ClientGroup& node) {
  node.Add<NodeConfigCommand>("config", "Shows the configuration of a node");
}

}  // namespace drover
