// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What looks at jobs: status, inspect, history and allocs.
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"
#include "host/cli/readable.h"

namespace drover {
namespace {

using nlohmann::json;

std::string JobStatus(const json& job) {
  const std::string status = TextField(job, "Status");
  return FlagField(job, "Stop") ? status + " (stopped)" : status;
}

Result<int> List(ApiClient* client, Terminal* terminal, const JobOptions& options) {
  DROVER_ASSIGN(const json jobs,
                client->Get("/v1/jobs", {{"namespace", client->SearchedNamespace()}}));
  if (options.raw()) return PrintAnswer(options, jobs);
  TextTable table({"ID", "Namespace", "Type", "Priority", "Status", "Submitted"});
  for (const json& job : AsList(jobs)) {
    const Cell status = StatusCell(TextField(job, "Status"));
    table.Add({TextField(job, "ID"), TextField(job, "Namespace"), TextField(job, "Type"),
               std::to_string(NumberField(job, "Priority")), Cell(JobStatus(job), status.colour),
               LocalTime(NumberField(job, "SubmitTime"))});
  }
  if (table.empty()) {
    terminal->Line("There are no jobs.");
  } else {
    table.Print(terminal);
  }
  return kExitOk;
}

void ShowSummary(Terminal* terminal, const json& summary) {
  constexpr const char* kCounts[] = {"Queued",   "Starting", "Running", "Failed",
                                     "Complete", "Lost",     "Unknown"};
  std::vector<std::string> head = {"Group"};
  head.insert(head.end(), std::begin(kCounts), std::end(kCounts));
  TextTable table(std::move(head));
  const json& groups = MapField(summary, "Summary");
  for (const auto& [group, counts] : groups.items()) {
    std::vector<Cell> row = {Printable(group)};
    for (const char* count : kCounts) row.emplace_back(std::to_string(NumberField(counts, count)));
    table.Add(std::move(row));
  }
  PrintHeading(terminal, "Summary");
  table.Print(terminal);
}

// What waits for room.
void ShowBlocked(Terminal* terminal, const json& evals) {
  for (const json& eval : AsList(evals)) {
    if (RawField(eval, "Status") != "blocked") continue;
    PrintHeading(terminal, "Waiting for room");
    const json& failures = MapField(eval, "FailedTGAllocs");
    for (const auto& [group, failure] : failures.items()) {
      for (const std::string& line : PlacementFailureLines(group, failure)) terminal->Line(line);
    }
    const json& queued = MapField(eval, "QueuedAllocations");
    for (const auto& [group, count] : queued.items()) {
      if (failures.contains(group) || !count.is_number_integer()) continue;
      terminal->Line("task group \"" + Printable(group) + "\": " + count.dump() + " queued");
    }
  }
}

void ShowAllocs(Terminal* terminal, const json& allocs, bool verbose) {
  const TextTable table = AllocTable(allocs, verbose);
  if (table.empty()) {
    terminal->Line("No allocations.");
  } else {
    table.Print(terminal);
  }
}

Result<int> Show(ApiClient* client, Terminal* terminal, const JobOptions& options) {
  DROVER_ASSIGN(const JobName name, FindJob(client, options.id));
  const Query query = {{"namespace", name.job_namespace}};
  const auto get = [&](const char* rest) {
    return client->Get(ApiPath("/v1/job", name.id, rest), query);
  };
  DROVER_ASSIGN(const json job, get(""));
  DROVER_ASSIGN(const json summary, get("/summary"));
  DROVER_ASSIGN(const json evals, get("/evaluations"));
  DROVER_ASSIGN(const json allocs, get("/allocations"));
  if (options.raw()) {
    return PrintAnswer(
        options,
        {{"Job", job}, {"Summary", summary}, {"Evaluations", evals}, {"Allocations", allocs}});
  }
  const Cell status = StatusCell(TextField(job, "Status"));
  PrintFields(terminal, {{"ID", TextField(job, "ID")},
                         {"Name", TextField(job, "Name")},
                         {"Namespace", TextField(job, "Namespace")},
                         {"Type", TextField(job, "Type")},
                         {"Priority", std::to_string(NumberField(job, "Priority"))},
                         {"Version", std::to_string(NumberField(job, "Version"))},
                         {"Submitted", LocalTime(NumberField(job, "SubmitTime"))},
                         {"Status", Cell(JobStatus(job), status.colour)},
                         {"Description", TextField(job, "StatusDescription")}});
  ShowSummary(terminal, summary);
  ShowBlocked(terminal, evals);
  PrintHeading(terminal, "Allocations");
  ShowAllocs(terminal, allocs, options.verbose);
  return kExitOk;
}

Result<json> Versions(ApiClient* client, const JobName& name) {
  DROVER_ASSIGN(const json versions, client->Get(ApiPath("/v1/job", name.id, "/versions"),
                                                 {{"namespace", name.job_namespace}}));
  return ListField(versions, "Versions");
}

Result<int> Inspect(ApiClient* client, const JobOptions& options) {
  DROVER_ASSIGN(const JobName name, FindJob(client, options.id));
  if (!options.version) {
    DROVER_ASSIGN(const json job,
                  client->Get(ApiPath("/v1/job", name.id), {{"namespace", name.job_namespace}}));
    return PrintAnswer(options, {{"Job", job}});
  }
  DROVER_ASSIGN(const json versions, Versions(client, name));
  for (const json& job : versions) {
    if (NumberField(job, "Version") != static_cast<std::int64_t>(*options.version)) continue;
    return PrintAnswer(options, {{"Job", job}});
  }
  return Error(Code::kNotFound, "the job \"" + name.id + "\" has no version " +
                                    std::to_string(*options.version) + ": see drover job history");
}

Result<int> History(ApiClient* client, Terminal* terminal, const JobOptions& options) {
  DROVER_ASSIGN(const JobName name, FindJob(client, options.id));
  DROVER_ASSIGN(const json versions, Versions(client, name));
  if (options.raw()) return PrintAnswer(options, versions);
  TextTable table({"Version", "Stable", "Stopped", "Submitted", "Index", "Tag"});
  for (const json& job : versions) {
    table.Add({std::to_string(NumberField(job, "Version")), FlagField(job, "Stable") ? "yes" : "no",
               FlagField(job, "Stop") ? "yes" : "no", LocalTime(NumberField(job, "SubmitTime")),
               std::to_string(NumberField(job, "JobModifyIndex")),
               TextField(MapField(job, "VersionTag"), "Name")});
  }
  table.Print(terminal);
  return kExitOk;
}

Result<int> Allocs(ApiClient* client, Terminal* terminal, const JobOptions& options) {
  DROVER_ASSIGN(const JobName name, FindJob(client, options.id));
  Query query = {{"namespace", name.job_namespace}};
  if (options.all) query.emplace_back("all", "true");
  DROVER_ASSIGN(const json allocs, client->Get(ApiPath("/v1/job", name.id, "/allocations"), query));
  if (options.raw()) return PrintAnswer(options, allocs);
  ShowAllocs(terminal, allocs, options.verbose);
  return kExitOk;
}

}  // namespace

int JobStatusCommand(const JobOptions& options) {
  return RunClientCommand("job status", options, [&](auto* client, auto* out) {
    return options.id.empty() ? List(client, out, options) : Show(client, out, options);
  });
}

int JobInspectCommand(const JobOptions& options) {
  return RunClientCommand("job inspect", options,
                          [&](auto* client, auto*) { return Inspect(client, options); });
}

int JobHistoryCommand(const JobOptions& options) {
  return RunClientCommand("job history", options,
                          [&](auto* client, auto* out) { return History(client, out, options); });
}

int JobAllocsCommand(const JobOptions& options) {
  return RunClientCommand("job allocs", options,
                          [&](auto* client, auto* out) { return Allocs(client, out, options); });
}

}  // namespace drover
