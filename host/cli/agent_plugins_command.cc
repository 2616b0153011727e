// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The drivers that an agent has, as its node tells of them.
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

const char* HealthName(const json& driver) {
  if (!FlagField(driver, "Detected")) return "undetected";
  return FlagField(driver, "Healthy") ? "healthy" : "unhealthy";
}

Result<int> List(ApiClient* client, Terminal* terminal, const ClientCommandOptions& options) {
  DROVER_ASSIGN(const std::string id, FindOwnNode(client));
  DROVER_ASSIGN(const json node, client->Get(ApiPath("/v1/node", id)));
  const json& drivers = MapField(node, "Drivers");
  json list = json::array();
  TextTable table({"Name", "Health", "Description"});
  for (const auto& [name, driver] : drivers.items()) {
    const std::string health = HealthName(driver);
    list.push_back({{"Name", name},
                    {"Health", health},
                    {"Description", RawField(driver, "HealthDescription")},
                    {"Attributes", MapField(driver, "Attributes")}});
    const auto colour = health == "healthy" ? Terminal::Colour::kGreen : Terminal::Colour::kRed;
    table.Add({Printable(name), Cell(health, colour), TextField(driver, "HealthDescription")});
  }
  if (options.raw()) return PrintAnswer(options, list);
  table.Print(terminal);
  return kExitOk;
}

}  // namespace

int AgentPluginsCommand(const ClientCommandOptions& options) {
  return RunClientCommand("plugin list", options,
                          [&](auto* client, auto* out) { return List(client, out, options); });
}

}  // namespace drover
