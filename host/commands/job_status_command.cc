// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/commands/record_status.h"
#include "host/view/json_fields.h"
#include "host/view/placement_failures.h"
#include "host/view/readable.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

using nlohmann::json;

Cell JobStatusCell(const json& job) {
  Cell cell = StatusCell(TextField(job, "Status"));
  if (FlagField(job, "Stop")) cell.text += " (stopped)";
  return cell;
}

TextTable SummaryTable(const json& summary) {
  constexpr const char* kCounts[] = {"Queued",   "Starting", "Running", "Failed",
                                     "Complete", "Lost",     "Unknown"};
  std::vector<std::string> head = {"Group"};
  head.insert(head.end(), std::begin(kCounts), std::end(kCounts));
  TextTable table(std::move(head));
  for (const auto& [group, counts] : MapField(summary, "Summary").items()) {
    std::vector<Cell> row = {Printable(group)};
    for (const char* count : kCounts) row.emplace_back(NumberText(counts, count));
    table.Add(std::move(row));
  }
  return table;
}

// Prints the task groups whose allocations wait until a node has enough resources.
void ShowBlocked(Terminal* terminal, const json& evals) {
  for (const json& eval : AsList(evals)) {
    if (RawField(eval, "Status") != "blocked") continue;
    PrintHeading(terminal, "Waiting for room");
    const json& failures = MapField(eval, "FailedTGAllocs");
    for (const std::string& line : PlacementFailureLines(failures)) terminal->Line(line);
    for (const auto& [group, count] : MapField(eval, "QueuedAllocations").items()) {
      if (failures.contains(group) || !count.is_number_integer()) continue;
      terminal->Line("task group \"" + Printable(group) + "\": " + count.dump() + " queued");
    }
  }
}

struct JobStatusCommand {
  std::string id;
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id, false);
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    if (id.empty()) return ListJobs(client, out);
    DROVER_ASSIGN(const JobName name, FindJob(client, id));
    return ShowJob(client, out, name, verbose);
  }
};

}  // namespace

Result<int> ListJobs(ApiClient* client, Output* out) {
  DROVER_ASSIGN(const json jobs,
                client->Get("/v1/jobs", {{"namespace", client->SearchedNamespace()}}));
  DROVER_TRY(CheckIsList(jobs));
  TextTable table({"ID", "Namespace", "Type", "Priority", "Status", "Submitted"});
  for (const json& job : AsList(jobs)) {
    table.Add({TextField(job, "ID"), TextField(job, "Namespace"), TextField(job, "Type"),
               NumberText(job, "Priority"), JobStatusCell(job),
               LocalTime(NumberField(job, "SubmitTime"))});
  }
  return out->Print(jobs, table, "There are no jobs.");
}

Result<int> ShowJob(ApiClient* client, Output* out, const JobName& name, bool verbose) {
  const Query query = {{"namespace", name.job_namespace}};
  const auto get = [&](const char* rest) {
    return client->Get(ApiPath("/v1/job", name.id, rest), query);
  };
  DROVER_ASSIGN(const json job, get(""));
  DROVER_ASSIGN(const json summary, get("/summary"));
  DROVER_ASSIGN(const json evals, get("/evaluations"));
  DROVER_ASSIGN(const json allocs, get("/allocations"));
  if (out->raw()) {
    return out->Print(
        {{"Job", job}, {"Summary", summary}, {"Evaluations", evals}, {"Allocations", allocs}});
  }
  PrintFields(out, {{"ID", TextField(job, "ID")},
                    {"Name", TextField(job, "Name")},
                    {"Namespace", TextField(job, "Namespace")},
                    {"Type", TextField(job, "Type")},
                    {"Priority", NumberText(job, "Priority")},
                    {"Version", NumberText(job, "Version")},
                    {"Submitted", LocalTime(NumberField(job, "SubmitTime"))},
                    {"Status", JobStatusCell(job)},
                    {"Description", TextField(job, "StatusDescription")}});
  PrintHeading(out, "Summary");
  SummaryTable(summary).Print(out);
  ShowBlocked(out, evals);
  PrintHeading(out, "Allocations");
  AllocTable(allocs, verbose).Print(out, "No allocations.");
  return kExitOk;
}

void AddJobStatus(const ClientGroup& job) {
  job.Add<JobStatusCommand>("status", "Lists the jobs, or shows one");
}

}  // namespace drover
