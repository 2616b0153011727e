// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What looks at allocations: status and checks.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"
#include "host/cli/readable.h"

namespace drover {
namespace {

using nlohmann::json;

std::string Usage(const json& stats, const std::string& task) {
  const json& tasks = MapField(stats, "Tasks");
  const json& usage = MapField(MapField(tasks, task.c_str()), "ResourceUsage");
  if (usage.empty()) return "";
  const json& cpu = MapField(usage, "CpuStats");
  const double percent =
      cpu.contains("Percent") && cpu["Percent"].is_number() ? cpu["Percent"].get<double>() : 0;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", percent);
  const std::int64_t rss = NumberField(MapField(usage, "MemoryStats"), "RSS");
  return std::string(text) + " of a core, " + Amount(static_cast<std::uint64_t>(rss)) + " resident";
}

void ShowPorts(Terminal* terminal, const json& alloc) {
  TextTable table({"Label", "Address", "To"});
  const json& shared = MapField(MapField(alloc, "AllocatedResources"), "Shared");
  for (const json& port : ListField(shared, "Ports")) {
    const std::int64_t to = NumberField(port, "To");
    table.Add({TextField(port, "Label"),
               TextField(port, "HostIP") + ":" + std::to_string(NumberField(port, "Value")),
               to > 0 ? std::to_string(to) : ""});
  }
  if (table.empty()) return;
  PrintHeading(terminal, "Ports");
  table.Print(terminal);
}

void ShowTask(Terminal* terminal, const std::string& name, const json& state, const json& stats) {
  PrintHeading(terminal, "Task \"" + Printable(name) + "\"");
  const std::string shown = FlagField(state, "Failed") ? "failed" : RawField(state, "State");
  const Cell colour = StatusCell(shown);
  PrintFields(
      terminal,
      {{"State", Cell(TextField(state, "State") + (FlagField(state, "Failed") ? ", failed" : ""),
                      colour.colour)},
       {"Started", Moment(TextField(state, "StartedAt"))},
       {"Finished", Moment(TextField(state, "FinishedAt"))},
       {"Restarts", std::to_string(NumberField(state, "Restarts"))},
       {"Usage", Usage(stats, name)}});
  TextTable events({"Time", "Event", "Description"});
  for (const json& event : ListField(state, "Events")) {
    events.Add({LocalTime(NumberField(event, "Time")), TextField(event, "Type"),
                TextField(event, "DisplayMessage")});
  }
  if (!events.empty()) events.Print(terminal);
}

TextTable CheckTable(const json& checks) {
  TextTable table({"Check", "Service", "Task", "Mode", "Status", "Output"});
  for (const auto& [id, check] : AsMap(checks).items()) {
    table.Add({TextField(check, "Check"), TextField(check, "Service"), TextField(check, "Task"),
               TextField(check, "Mode"), StatusCell(TextField(check, "Status")),
               TextField(check, "Output")});
  }
  return table;
}

Result<int> Show(ApiClient* client, Terminal* terminal, const AllocOptions& options) {
  DROVER_ASSIGN(const std::string id, FindId(client, kAllocIds, options.id));
  DROVER_ASSIGN(const json alloc, client->Get(ApiPath("/v1/allocation", id)));
  if (options.raw()) return PrintAnswer(options, alloc);
  // Those that have ended have neither; that is no reason to show nothing.
  const bool runs = RawField(alloc, "ClientStatus") == "running";
  const std::string client_path = ApiPath("/v1/client/allocation", id);
  const json nothing = json::object();
  const json stats = runs ? client->Get(client_path + "/stats").value_or(nothing) : nothing;
  const json checks = runs ? client->Get(client_path + "/checks").value_or(nothing) : nothing;
  const WallTime now = WallNow();
  const auto shown_id = [&](const char* field) {
    return ShownId(TextField(alloc, field), options.verbose);
  };
  PrintFields(terminal,
              {{"ID", TextField(alloc, "ID")},
               {"Name", TextField(alloc, "Name")},
               {"Node", shown_id("NodeID") + " (" + TextField(alloc, "NodeName") + ")"},
               {"Job", TextField(alloc, "JobID")},
               {"Namespace", TextField(alloc, "Namespace")},
               {"Version", std::to_string(NumberField(MapField(alloc, "Job"), "Version"))},
               {"Evaluation", shown_id("EvalID")},
               {"Status", StatusCell(TextField(alloc, "ClientStatus"))},
               {"Description", TextField(alloc, "ClientDescription")},
               {"Desired", StatusCell(TextField(alloc, "DesiredStatus"))},
               {"Because", TextField(alloc, "DesiredDescription")},
               {"Replaces", shown_id("PreviousAllocation")},
               {"Replaced by", shown_id("NextAllocation")},
               {"Created", Ago(NumberField(alloc, "CreateTime"), now)},
               {"Modified", Ago(NumberField(alloc, "ModifyTime"), now)}});
  ShowPorts(terminal, alloc);
  const json& states = MapField(alloc, "TaskStates");
  for (const auto& [name, state] : states.items()) ShowTask(terminal, name, state, stats);
  if (const TextTable table = CheckTable(checks); !table.empty()) {
    PrintHeading(terminal, "Checks");
    table.Print(terminal);
  }
  return kExitOk;
}

Result<int> Checks(ApiClient* client, Terminal* terminal, const AllocOptions& options) {
  DROVER_ASSIGN(const std::string id, FindId(client, kAllocIds, options.id));
  DROVER_ASSIGN(const json checks, client->Get(ApiPath("/v1/client/allocation", id, "/checks")));
  if (options.raw()) return PrintAnswer(options, checks);
  const TextTable table = CheckTable(checks);
  if (table.empty()) {
    terminal->Line("The allocation has no checks.");
  } else {
    table.Print(terminal);
  }
  return kExitOk;
}

}  // namespace

int AllocStatusCommand(const AllocOptions& options) {
  return RunClientCommand("alloc status", options,
                          [&](auto* client, auto* out) { return Show(client, out, options); });
}

int AllocChecksCommand(const AllocOptions& options) {
  return RunClientCommand("alloc checks", options,
                          [&](auto* client, auto* out) { return Checks(client, out, options); });
}

}  // namespace drover
