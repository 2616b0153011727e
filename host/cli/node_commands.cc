// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"
#include "host/cli/readable.h"

namespace drover {
namespace {

using nlohmann::json;

Result<int> List(ApiClient* client, Terminal* terminal, const NodeCommandOptions& options) {
  DROVER_ASSIGN(const json nodes, client->Get("/v1/nodes"));
  if (options.json) return PrintJson(nodes), kExitOk;
  Table table({"ID", "Name", "Datacenter", "Address", "Version", "Eligibility", "Status"});
  for (const json& node : AsList(nodes)) {
    table.Add({ShownId(TextField(node, "ID"), options.verbose), TextField(node, "Name"),
               TextField(node, "Datacenter"), TextField(node, "Address"),
               TextField(node, "Version"), StatusCell(TextField(node, "SchedulingEligibility")),
               StatusCell(TextField(node, "Status"))});
  }
  if (table.empty()) {
    terminal->Line("There are no nodes.");
  } else {
    table.Print(terminal);
  }
  return kExitOk;
}

void ShowDrivers(Terminal* terminal, const json& node) {
  Table table({"Driver", "Detected", "Healthy", "Description"});
  const json& drivers = MapField(node, "Drivers");
  for (const auto& [name, driver] : drivers.items()) {
    const bool healthy = FlagField(driver, "Healthy");
    table.Add(
        {Printable(name), FlagField(driver, "Detected") ? "yes" : "no",
         Cell(healthy ? "yes" : "no", healthy ? Terminal::Colour::kGreen : Terminal::Colour::kRed),
         TextField(driver, "HealthDescription")});
  }
  PrintHeading(terminal, "Drivers");
  table.Print(terminal);
}

std::string Mebibytes(const json& of, const char* field) {
  return Amount(static_cast<std::uint64_t>(NumberField(of, field)) << 20);
}

Result<int> Show(ApiClient* client, Terminal* terminal, const NodeCommandOptions& options) {
  DROVER_ASSIGN(const std::string id, FindId(client, kNodeIds, options.id));
  DROVER_ASSIGN(const json node, client->Get(ApiPath("/v1/node", id)));
  if (options.json) return PrintJson(node), kExitOk;
  DROVER_ASSIGN(const json allocs, client->Get(ApiPath("/v1/node", id, "/allocations")));
  const json& resources = MapField(node, "NodeResources");
  PrintFields(
      terminal,
      {{"ID", TextField(node, "ID")},
       {"Name", TextField(node, "Name")},
       {"Datacenter", TextField(node, "Datacenter")},
       {"Address", TextField(node, "HTTPAddr")},
       {"Status", StatusCell(TextField(node, "Status"))},
       {"Eligibility", StatusCell(TextField(node, "SchedulingEligibility"))},
       {"CPU", std::to_string(NumberField(MapField(resources, "Cpu"), "CpuShares")) + " MHz"},
       {"Memory", Mebibytes(MapField(resources, "Memory"), "MemoryMB")},
       {"Disk", Mebibytes(MapField(resources, "Disk"), "DiskMB")}});
  ShowDrivers(terminal, node);
  PrintHeading(terminal, "Allocations");
  // These are whole allocations, whose job has the version.
  Table table({"ID", "Job", "Group", "Version", "Desired", "Status", "Created", "Modified"});
  const WallTime now = WallNow();
  for (const json& alloc : AsList(allocs)) {
    table.Add({ShownId(TextField(alloc, "ID"), options.verbose), TextField(alloc, "JobID"),
               TextField(alloc, "TaskGroup"),
               std::to_string(NumberField(MapField(alloc, "Job"), "Version")),
               StatusCell(TextField(alloc, "DesiredStatus")),
               StatusCell(TextField(alloc, "ClientStatus")),
               Ago(NumberField(alloc, "CreateTime"), now),
               Ago(NumberField(alloc, "ModifyTime"), now)});
  }
  table.Print(terminal);
  return kExitOk;
}

Result<int> SetEligibility(ApiClient* client, Terminal* terminal,
                           const NodeCommandOptions& options) {
  DROVER_ASSIGN(const std::string id, FindId(client, kNodeIds, options.id));
  const std::string wanted = options.enable ? "eligible" : "ineligible";
  const json body = {{"NodeID", id}, {"Eligibility", wanted}};
  DROVER_ASSIGN(const json answer, client->Put(ApiPath("/v1/node", id, "/eligibility"), body));
  if (options.json) return PrintJson(answer), kExitOk;
  terminal->Line("node " + Printable(id) + " is now " + wanted + " for new allocations");
  return kExitOk;
}

}  // namespace

int NodeStatusCommand(const NodeCommandOptions& options) {
  return RunClientCommand("node status", options, [&](auto* client, auto* out) {
    return options.id.empty() ? List(client, out, options) : Show(client, out, options);
  });
}

int NodeEligibilityCommand(const NodeCommandOptions& options) {
  return RunClientCommand("node eligibility", options, [&](auto* client, auto* out) {
    return SetEligibility(client, out, options);
  });
}

}  // namespace drover
