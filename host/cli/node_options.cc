// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/node_options.h"

#include <CLI/CLI.hpp>

#include "host/cli/id_lookup.h"

namespace drover {

using nlohmann::json;

void NodeArgument::Declare(CLI::App* command) {
  CLI::Option* const named = command->add_option("ID", id, "Its id, or the beginning of it");
  command->add_flag("--self", self, "The node of the agent that is asked")->excludes(named);
}

Status NodeArgument::Require() const {
  if (empty()) throw CLI::RequiredError("ID or --self");
  return {};
}

Result<std::string> NodeArgument::Find(ApiClient* client) const {
  return self ? FindOwnNode(client) : FindId(client, kNodeIds, id);
}

void NodeIdOption::Declare(CLI::App* command) {
  command->add_option("--node-id", id,
                      "The node, by its id or the beginning of it; else that of the agent");
}

Result<std::string> NodeIdOption::Find(ApiClient* client) const {
  return id.empty() ? FindOwnNode(client) : FindId(client, kNodeIds, id);
}

Result<json> KeyValues(const std::vector<std::string>& pairs, const std::string& option) {
  json values = json::object();
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error(Code::kInvalidArgument, option + pair + ": write it as KEY=VALUE");
    }
    values[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return values;
}

}  // namespace drover
