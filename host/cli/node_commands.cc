// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/printable.h"
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
  if (options.raw()) return PrintAnswer(options, nodes);
  TextTable table({"ID", "Name", "Datacenter", "Address", "Version", "Eligibility", "Status"});
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
  TextTable table({"Driver", "Detected", "Healthy", "Description"});
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

std::string LastDrainOf(const json& node) {
  const json& last = MapField(node, "LastDrain");
  const std::string message = TextField(MapField(last, "Meta"), "message");
  const std::string status = TextField(last, "Status");
  if (status.empty()) return "never";
  return status + " since " + TextField(last, "UpdatedAt") +
         (message.empty() ? "" : " (" + message + ")");
}

// The node that is meant.
Result<std::string> FindNode(ApiClient* client, const NodeCommandOptions& options) {
  return options.self ? FindOwnNode(client) : FindId(client, kNodeIds, options.id);
}

Result<int> Show(ApiClient* client, Terminal* terminal, const NodeCommandOptions& options) {
  DROVER_ASSIGN(const std::string id, FindNode(client, options));
  DROVER_ASSIGN(const json node, client->Get(ApiPath("/v1/node", id)));
  if (options.raw()) return PrintAnswer(options, node);
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
       {"Drained", LastDrainOf(node)},
       {"CPU", std::to_string(NumberField(MapField(resources, "Cpu"), "CpuShares")) + " MHz"},
       {"Memory", Mebibytes(MapField(resources, "Memory"), "MemoryMB")},
       {"Disk", Mebibytes(MapField(resources, "Disk"), "DiskMB")}});
  ShowDrivers(terminal, node);
  PrintHeading(terminal, "Allocations");
  // These are whole allocations, whose job has the version.
  TextTable table({"ID", "Job", "Group", "Version", "Desired", "Status", "Created", "Modified"});
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
  DROVER_ASSIGN(const std::string id, FindNode(client, options));
  const std::string wanted = options.enable ? "eligible" : "ineligible";
  const json body = {{"NodeID", id}, {"Eligibility", wanted}};
  DROVER_ASSIGN(const json answer, client->Put(ApiPath("/v1/node", id, "/eligibility"), body));
  if (options.raw()) return PrintAnswer(options, answer);
  terminal->Line("node " + Printable(id) + " is now " + wanted + " for new allocations");
  return kExitOk;
}

Result<json> DrainBody(const std::string& id, const NodeCommandOptions& options) {
  json body = {{"NodeID", id}, {"DrainSpec", nullptr}};
  if (options.disable) {
    body["MarkEligible"] = !options.keep_ineligible;
  } else {
    Duration deadline = options.force ? Duration(-1s) : Duration(0);
    if (!options.force && !options.no_deadline) {
      DROVER_ASSIGN(deadline, ParseDuration(options.deadline));
    }
    body["DrainSpec"] = {{"Deadline", deadline.count()},
                         {"IgnoreSystemJobs", options.ignore_system}};
  }
  json meta = json::object();
  for (const std::string& pair : options.meta) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error(Code::kInvalidArgument, "--meta " + pair + ": write it as KEY=VALUE");
    }
    meta[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  if (!options.message.empty()) meta["message"] = options.message;
  if (!meta.empty()) body["Meta"] = std::move(meta);
  return body;
}

// How the allocations of a node are, by their ids.
using Statuses = std::map<std::string, std::string>;

// Notes how the allocations of the node are, and tells of those that are otherwise than NOTED.
Status TellAllocs(ApiClient* client, Terminal* terminal, const std::string& id, bool full_ids,
                  Statuses* noted) {
  DROVER_ASSIGN(const json allocs, client->Get(ApiPath("/v1/node", id, "/allocations")));
  for (const json& alloc : AsList(allocs)) {
    const std::string of = RawField(alloc, "ID");
    const std::string status = TextField(alloc, "ClientStatus") +
                               (TextField(alloc, "DesiredStatus") == "run" ? "" : ", to stop");
    if (std::exchange((*noted)[of], status) == status || terminal == nullptr) continue;
    terminal->Line("allocation " + ShownId(Printable(of), full_ids) + " " +
                   TextField(alloc, "Name") + ": " + status);
  }
  return {};
}

// Tells what becomes of the node's allocations until its drain has ended.
Status FollowDrain(ApiClient* client, Terminal* terminal, const std::string& id, bool full_ids,
                   Statuses noted) {
  std::uint64_t index = 0;
  while (true) {
    // Allocations change more often than their node: it is not waited for any longer.
    DROVER_ASSIGN(const json node, client->Get(ApiPath("/v1/node", id), {}, &index, 1s));
    DROVER_TRY(TellAllocs(client, terminal, id, full_ids, &noted));
    if (MapField(node, "DrainStrategy").empty()) break;
  }
  terminal->Line("node " + Printable(id) + " is drained");
  return {};
}

Result<int> Drain(ApiClient* client, Terminal* terminal, const NodeCommandOptions& options) {
  DROVER_ASSIGN(const std::string id, FindNode(client, options));
  if (options.monitor) {
    DROVER_TRY(FollowDrain(client, terminal, id, options.verbose, {}));
    return kExitOk;
  }
  DROVER_ASSIGN(const json body, DrainBody(id, options));
  if (options.enable && !options.yes) {
    DROVER_ASSIGN(const bool drain, Confirmed("Drain the node " + id + "?"));
    if (!drain) return kExitOk;
  }
  Statuses before;
  if (!options.detach) DROVER_TRY(TellAllocs(client, nullptr, id, false, &before));
  DROVER_ASSIGN(const json answer, client->Put(ApiPath("/v1/node", id, "/drain"), body));
  if (options.raw()) return PrintAnswer(options, answer);
  if (options.disable) {
    terminal->Line("node " + Printable(id) + " is not drained any more");
    return kExitOk;
  }
  terminal->Line("node " + Printable(id) + " is being drained");
  if (!options.detach) {
    DROVER_TRY(FollowDrain(client, terminal, id, options.verbose, std::move(before)));
  }
  return kExitOk;
}

}  // namespace

int NodeDrainCommand(const NodeCommandOptions& options) {
  return RunClientCommand("node drain", options,
                          [&](auto* client, auto* out) { return Drain(client, out, options); });
}

int NodeStatusCommand(const NodeCommandOptions& options) {
  return RunClientCommand("node status", options, [&](auto* client, auto* out) {
    const bool list = options.id.empty() && !options.self;
    return list ? List(client, out, options) : Show(client, out, options);
  });
}

int NodeEligibilityCommand(const NodeCommandOptions& options) {
  return RunClientCommand("node eligibility", options, [&](auto* client, auto* out) {
    return SetEligibility(client, out, options);
  });
}

}  // namespace drover
