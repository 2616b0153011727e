// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/commands/record_status.h"
#include "host/view/decode_alloc.h"
#include "host/view/device_tables.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

using nlohmann::json;

std::string UsageText(const json& stats, const std::string& task) {
  const json& usage = MapField(MapField(MapField(stats, "Tasks"), task.c_str()), "ResourceUsage");
  if (usage.empty()) return "";
  const json percent = MapField(usage, "CpuStats").value("Percent", json());
  char cpu[32];
  std::snprintf(cpu, sizeof cpu, "%.1f %%", percent.is_number() ? percent.get<double>() : 0);
  const std::int64_t rss = NumberField(MapField(usage, "MemoryStats"), "RSS");
  return std::string(cpu) + " of a core, " + Amount(static_cast<std::uint64_t>(rss)) + " resident";
}

TextTable PortTable(const json& alloc) {
  TextTable table({"Label", "Address", "To"});
  for (const AllocatedPort& port : DecodeAlloc(alloc).ports) {
    const std::string owner = port.task.empty() ? "" : " of task " + port.task;
    table.Add({Printable(port.label + owner), port.host_ip + ":" + std::to_string(port.value),
               port.to > 0 ? std::to_string(port.to) : ""});
  }
  return table;
}

void ShowTask(Terminal* terminal, const std::string& name, const json& state, const json& stats) {
  PrintHeading(terminal, "Task \"" + Printable(name) + "\"");
  const bool failed = FlagField(state, "Failed");
  const bool paused = !RawField(state, "Paused").empty();
  const Cell colour = StatusCell(failed ? "failed" : RawField(state, "State"));
  PrintFields(terminal, {{"State", Cell(TextField(state, "State") + (failed ? ", failed" : "") +
                                            (paused ? ", paused" : ""),
                                        colour.colour)},
                         {"Started", Moment(TextField(state, "StartedAt"))},
                         {"Finished", Moment(TextField(state, "FinishedAt"))},
                         {"Restarts", NumberText(state, "Restarts")},
                         {"Usage", UsageText(stats, name)}});
  TextTable events({"Time", "Event", "Description"});
  for (const json& event : ListField(state, "Events")) {
    events.Add({LocalTime(NumberField(event, "Time")), TextField(event, "Type"),
                TextField(event, "DisplayMessage")});
  }
  if (!events.empty()) events.Print(terminal);
}

// Returns the verdict on the health of ALLOC. Returns an empty text while there is none.
std::string HealthText(const json& alloc) {
  const json healthy = MapField(alloc, "DeploymentStatus").value("Healthy", json());
  if (!healthy.is_boolean()) return "";
  return healthy.get<bool>() ? "healthy" : "unhealthy";
}

void PrintAllocFields(Terminal* terminal, const json& alloc, bool verbose) {
  const WallTime now = WallNow();
  const auto shown_id = [&](const char* field) {
    return ShownId(TextField(alloc, field), verbose);
  };
  PrintFields(terminal, {{"ID", TextField(alloc, "ID")},
                         {"Name", TextField(alloc, "Name")},
                         {"Node", shown_id("NodeID") + " (" + TextField(alloc, "NodeName") + ")"},
                         {"Job", TextField(alloc, "JobID")},
                         {"Namespace", TextField(alloc, "Namespace")},
                         {"Version", NumberText(MapField(alloc, "Job"), "Version")},
                         {"Evaluation", shown_id("EvalID")},
                         {"Status", StatusCell(TextField(alloc, "ClientStatus"))},
                         {"Description", TextField(alloc, "ClientDescription")},
                         {"Deployment Health", StatusCell(HealthText(alloc))},
                         {"Desired", StatusCell(TextField(alloc, "DesiredStatus"))},
                         {"Because", TextField(alloc, "DesiredDescription")},
                         {"Replaces", shown_id("PreviousAllocation")},
                         {"Replaced by", shown_id("NextAllocation")},
                         {"Created", Ago(NumberField(alloc, "CreateTime"), now)},
                         {"Modified", Ago(NumberField(alloc, "ModifyTime"), now)}});
}

struct AllocStatusCommand {
  std::string id;
  bool verbose = false;
  bool stats = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    AddVerbose(command, &verbose);
    command->add_flag("--stats", stats, "Also prints what the devices of the tasks have measured");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string whole_id, FindId(client, kAllocIds, id));
    return ShowAlloc(client, out, whole_id, verbose, stats);
  }
};

}  // namespace

Result<int> ShowAlloc(ApiClient* client, Output* out, const std::string& id, bool verbose,
                      bool with_stats) {
  DROVER_ASSIGN(const json alloc, client->Get(ApiPath("/v1/allocation", id)));
  if (out->raw()) return out->Print(alloc);
  // The agent has statistics and checks only while the allocation runs. The command shows
  // everything else in any case.
  const bool runs = RawField(alloc, "ClientStatus") == "running";
  const auto get = [&](const char* rest) {
    const json nothing = json::object();
    const std::string path = ApiPath("/v1/client/allocation", id, rest);
    return runs ? client->Get(path).value_or(nothing) : nothing;
  };
  const json stats = get("/stats");
  const json checks = get("/checks");
  PrintAllocFields(out, alloc, verbose);
  PrintPart(out, "Ports", PortTable(alloc));
  PrintPart(out, "Devices", AllocDeviceTable(alloc));
  if (with_stats) PrintPart(out, "Device statistics", DeviceStatsTable(stats));
  for (const auto& [name, state] : MapField(alloc, "TaskStates").items()) {
    ShowTask(out, name, state, stats);
  }
  PrintPart(out, "Checks", CheckTable(checks, false));
  return kExitOk;
}

void AddAllocStatus(const ClientGroup& alloc) {
  alloc.Add<AllocStatusCommand>("status", "Shows an allocation and its tasks");
}

}  // namespace drover
