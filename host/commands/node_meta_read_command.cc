// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/node_options.h"
#include "host/commands/commands.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

struct NodeMetaReadCommand {
  NodeIdOption node;

  void Declare(CLI::App* command) { node.Declare(command); }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string id, node.Find(client));
    DROVER_ASSIGN(const nlohmann::json answer,
                  client->Get("/v1/client/metadata", {{"node_id", id}}));
    return out->Print(answer, MetaTable(answer), "The node has no metadata.");
  }
};

}  // namespace

void AddNodeMetaRead(const ClientGroup& meta) {
  meta.Add<NodeMetaReadCommand>("read", "Shows them");
}

}  // namespace drover
