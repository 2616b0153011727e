// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/node_options.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct NodeEligibilityCommand {
  NodeArgument node;
  bool enable = false;
  bool disable = false;

  void Declare(CLI::App* command) {
    node.Declare(command);
    CLI::Option_group* const which = command->add_option_group("One of");
    which->add_flag("--enable", enable, "It does");
    which->add_flag("--disable", disable, "It does not; what runs goes on");
    which->require_option(1);
  }

  Status Check() const { return node.Require(); }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string id, node.Find(client));
    const std::string wanted = enable ? "eligible" : "ineligible";
    const json body = {{"NodeID", id}, {"Eligibility", wanted}};
    DROVER_ASSIGN(const json answer, client->Put(ApiPath("/v1/node", id, "/eligibility"), body));
    return out->Print(answer,
                      "node " + Printable(id) + " is now " + wanted + " for new allocations");
  }
};

}  // namespace

void AddNodeEligibility(const ClientGroup& node) {
  node.Add<NodeEligibilityCommand>("eligibility", "Tells whether a node gets new allocations");
}

}  // namespace drover
