// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <vector>

#include "host/cli/node_options.h"
#include "host/commands/commands.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

using nlohmann::json;

struct NodeMetaApplyCommand {
  NodeIdOption node;
  std::vector<std::string> set;    // each element is KEY=VALUE
  std::vector<std::string> unset;  // each element is a key

  void Declare(CLI::App* command) {
    node.Declare(command);
    command->add_option("KEY=VALUE", set, "What ${meta.KEY} is from now on");
    command->add_option("--unset", unset, "A key that is not there any more; may be repeated")
        ->delimiter(',')
        ->allow_extra_args(false);
  }

  Status Check() const {
    DROVER_TRY(Changes());
    return {};
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json changes, Changes());
    DROVER_ASSIGN(const std::string id, node.Find(client));
    const json body = {{"NodeID", id}, {"Meta", changes}};
    DROVER_ASSIGN(const json answer, client->Put("/v1/client/metadata", body, {{"node_id", id}}));
    return out->Print(answer, MetaTable(answer), "The node has no metadata.");
  }

  Result<json> Changes() const {
    DROVER_ASSIGN(json changes, KeyValues(set, ""));
    for (const std::string& key : unset) {
      if (changes.contains(key)) {
        return Error(Code::kInvalidArgument, key + " is to be set and to be unset");
      }
      changes[key] = nullptr;
    }
    if (!changes.empty()) return changes;
    return Error(Code::kInvalidArgument, "name what to set as KEY=VALUE, or with --unset KEY");
  }
};

}  // namespace

void AddNodeMetaApply(const ClientGroup& meta) {
  meta.Add<NodeMetaApplyCommand>("apply",
                                 "Sets some over those of the configuration, and keeps that");
}

}  // namespace drover
