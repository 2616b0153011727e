// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The metadata of a node: those of its configuration, and what clients have set over them.
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"
#include "host/cli/node_setup.h"

namespace drover {
namespace {

using nlohmann::json;

// The node that is meant: that of the agent, unless one is named.
Result<std::string> NodeOf(ApiClient* client, const NodeCommandOptions& options) {
  return options.id.empty() ? FindOwnNode(client) : FindId(client, kNodeIds, options.id);
}

Result<int> Show(Terminal* terminal, const NodeCommandOptions& options, const json& answer) {
  if (options.raw()) return PrintAnswer(options, answer);
  const json& dynamic = MapField(answer, "Dynamic");
  TextTable table({"Key", "Value", "Set by"});
  for (const auto& [key, value] : MapField(answer, "Meta").items()) {
    table.Add({Printable(key), TextField(MapField(answer, "Meta"), key.c_str()),
               dynamic.contains(key) ? "a client" : "the configuration"});
  }
  if (table.empty()) {
    terminal->Line("The node has no metadata.");
  } else {
    table.Print(terminal);
  }
  return kExitOk;
}

Result<int> Read(ApiClient* client, Terminal* terminal, const NodeCommandOptions& options) {
  DROVER_ASSIGN(const std::string id, NodeOf(client, options));
  DROVER_ASSIGN(const json answer, client->Get("/v1/client/metadata", {{"node_id", id}}));
  return Show(terminal, options, answer);
}

Result<json> Changes(const NodeCommandOptions& options) {
  json changes = json::object();
  for (const std::string& pair : options.meta) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error(Code::kInvalidArgument, pair + ": write it as KEY=VALUE");
    }
    changes[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  for (const std::string& key : options.unset) {
    if (changes.contains(key)) {
      return Error(Code::kInvalidArgument, key + " is to be set and to be unset");
    }
    changes[key] = nullptr;
  }
  if (!changes.empty()) return changes;
  return Error(Code::kInvalidArgument, "name what to set as KEY=VALUE, or with --unset KEY");
}

Result<int> Apply(ApiClient* client, Terminal* terminal, const NodeCommandOptions& options,
                  const json& changes) {
  DROVER_ASSIGN(const std::string id, NodeOf(client, options));
  DROVER_ASSIGN(
      const json answer,
      client->Put("/v1/client/metadata", {{"NodeID", id}, {"Meta", changes}}, {{"node_id", id}}));
  return Show(terminal, options, answer);
}

}  // namespace

int NodeMetaReadCommand(const NodeCommandOptions& options) {
  return RunClientCommand("node meta read", options,
                          [&](auto* client, auto* out) { return Read(client, out, options); });
}

int NodeMetaApplyCommand(const NodeCommandOptions& options) {
  const Result<json> changes = Changes(options);
  if (!changes.ok()) {
    PrintError("node meta apply", changes.error());
    return kExitUsage;
  }
  return RunClientCommand("node meta apply", options, [&](auto* client, auto* out) {
    return Apply(client, out, options, *changes);
  });
}

}  // namespace drover
