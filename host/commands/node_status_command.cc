// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/cli/node_options.h"
#include "host/commands/commands.h"
#include "host/commands/record_status.h"
#include "host/view/device_tables.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

TextTable DriverTable(const json& node) {
  TextTable table({"Driver", "Detected", "Healthy", "Description"});
  for (const auto& [name, driver] : MapField(node, "Drivers").items()) {
    const bool healthy = FlagField(driver, "Healthy");
    table.Add(
        {Printable(name), FlagField(driver, "Detected") ? "yes" : "no",
         Cell(healthy ? "yes" : "no", healthy ? Terminal::Colour::kGreen : Terminal::Colour::kRed),
         TextField(driver, "HealthDescription")});
  }
  return table;
}

// ALLOCS must be whole allocations, not stubs, because only their job contains the version.
TextTable AllocsOfNodeTable(const json& allocs, bool full_ids) {
  TextTable table({"ID", "Job", "Group", "Version", "Desired", "Status", "Created", "Modified"});
  const WallTime now = WallNow();
  for (const json& alloc : AsList(allocs)) {
    table.Add({ShownId(TextField(alloc, "ID"), full_ids), TextField(alloc, "JobID"),
               TextField(alloc, "TaskGroup"), NumberText(MapField(alloc, "Job"), "Version"),
               StatusCell(TextField(alloc, "DesiredStatus")),
               StatusCell(TextField(alloc, "ClientStatus")),
               Ago(NumberField(alloc, "CreateTime"), now),
               Ago(NumberField(alloc, "ModifyTime"), now)});
  }
  return table;
}

std::string MebibytesField(const json& of, const char* field) {
  return Amount(static_cast<std::uint64_t>(NumberField(of, field)) << 20);
}

std::string DrainText(const json& node) {
  const json& last = MapField(node, "LastDrain");
  const std::string message = TextField(MapField(last, "Meta"), "message");
  const std::string status = TextField(last, "Status");
  if (status.empty()) return "never";
  return status + " since " + TextField(last, "UpdatedAt") +
         (message.empty() ? "" : " (" + message + ")");
}

struct NodeStatusCommand {
  NodeArgument node;
  bool verbose = false;

  void Declare(CLI::App* command) {
    node.Declare(command);
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    if (node.empty()) return List(client, out);
    DROVER_ASSIGN(const std::string id, node.Find(client));
    return ShowNode(client, out, id, verbose);
  }

  Result<int> List(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json nodes, client->Get("/v1/nodes"));
    DROVER_TRY(CheckIsList(nodes));
    TextTable table({"ID", "Name", "Datacenter", "Address", "Version", "Eligibility", "Status"});
    for (const json& one : AsList(nodes)) {
      table.Add({ShownId(TextField(one, "ID"), verbose), TextField(one, "Name"),
                 TextField(one, "Datacenter"), TextField(one, "Address"), TextField(one, "Version"),
                 StatusCell(TextField(one, "SchedulingEligibility")),
                 StatusCell(TextField(one, "Status"))});
    }
    return out->Print(nodes, table, "There are no nodes.");
  }
};

}  // namespace

Result<int> ShowNode(ApiClient* client, Output* out, const std::string& id, bool verbose) {
  DROVER_ASSIGN(const json whole, client->Get(ApiPath("/v1/node", id)));
  if (out->raw()) return out->Print(whole);
  DROVER_ASSIGN(const json allocs, client->Get(ApiPath("/v1/node", id, "/allocations")));
  const json& resources = MapField(whole, "NodeResources");
  PrintFields(out, {{"ID", TextField(whole, "ID")},
                    {"Name", TextField(whole, "Name")},
                    {"Datacenter", TextField(whole, "Datacenter")},
                    {"Address", TextField(whole, "HTTPAddr")},
                    {"Status", StatusCell(TextField(whole, "Status"))},
                    {"Eligibility", StatusCell(TextField(whole, "SchedulingEligibility"))},
                    {"Drained", DrainText(whole)},
                    {"CPU", NumberText(MapField(resources, "Cpu"), "CpuShares") + " MHz"},
                    {"Memory", MebibytesField(MapField(resources, "Memory"), "MemoryMB")},
                    {"Disk", MebibytesField(MapField(resources, "Disk"), "DiskMB")}});
  PrintHeading(out, "Drivers");
  DriverTable(whole).Print(out);
  PrintPart(out, "Devices", NodeDeviceTable(whole));
  PrintHeading(out, "Allocations");
  AllocsOfNodeTable(allocs, verbose).Print(out);
  return kExitOk;
}

void AddNodeStatus(const ClientGroup& node) {
  node.Add<NodeStatusCommand>("status", "Lists the nodes, or shows one");
}

}  // namespace drover
