// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/commands/record_status.h"
#include "host/view/deployment_view.h"
#include "host/view/job_children.h"
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

// Returns whether the job only starts other jobs, at their times or by requests.
bool IsParent(const json& job) {
  const bool parameterized =
      !MapField(job, "ParameterizedJob").empty() && !FlagField(job, "Dispatched");
  return parameterized || !MapField(job, "Periodic").empty();
}

// Returns when the job starts others.
std::string ParentText(const json& job) {
  const json& periodic = MapField(job, "Periodic");
  if (periodic.empty()) return "by requests: drover job dispatch";
  if (!FlagField(periodic, "Enabled")) return "never: periodic.enabled is false";
  std::string specs = TextField(periodic, "Spec");
  for (const json& spec : ListField(periodic, "Specs")) {
    if (!spec.is_string()) continue;
    specs += (specs.empty() ? "" : "; ") + Printable(spec.get<std::string>());
  }
  return "at " + specs + " " + TextField(periodic, "TimeZone");
}

void ShowChildren(Terminal* terminal, const json& summary, const std::vector<json>& children,
                  bool all) {
  const json& counts = MapField(summary, "Children");
  PrintHeading(terminal, "Children");
  terminal->Line(NumberText(counts, "Pending") + " pending, " + NumberText(counts, "Running") +
                 " running, " + NumberText(counts, "Dead") + " dead");
  TextTable table({"ID", "Status", "Started"});
  const std::size_t shown = all ? children.size() : std::min(children.size(), kMostChildren);
  for (std::size_t i = 0; i < shown; ++i) {
    table.Add({TextField(children[i], "ID"), JobStatusCell(children[i]),
               LocalTime(NumberField(children[i], "SubmitTime"))});
  }
  if (!table.empty()) table.Print(terminal);
  if (shown < children.size()) {
    terminal->Line("... and " + std::to_string(children.size() - shown) +
                   " older ones, which --verbose shows");
  }
}

// Shows the newest of the restarts that the agent carries out by itself.
void ShowRestart(Terminal* terminal, const json& restarts) {
  if (AsList(restarts).empty()) return;
  const json& one = restarts[0];
  const json& errors = MapField(one, "Errors");
  PrintHeading(terminal, "Latest restart");
  PrintFields(terminal,
              {{"ID", TextField(one, "ID")},
               {"Status", StatusCell(TextField(one, "Status"))},
               {"Description", TextField(one, "StatusDescription")},
               {"Done", NumberText(one, "Done") + " of " +
                            std::to_string(ListField(one, "Allocations").size()) + " allocations"},
               {"Errors", errors.empty() ? "" : std::to_string(errors.size())}});
  for (const auto& [alloc, error] : errors.items()) {
    terminal->Line("  * " + Printable(alloc) + ": " + TextField(errors, alloc.c_str()));
  }
}

struct JobStatusCommand {
  std::string id;
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id, false);
    command->add_flag("--verbose", verbose, "Prints ids in full, and all children");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    if (id.empty()) return ListJobs(client, out, verbose);
    DROVER_ASSIGN(const JobName name, FindJob(client, id));
    return ShowJob(client, out, name, verbose);
  }
};

}  // namespace

Result<int> ListJobs(ApiClient* client, Output* out, bool verbose) {
  DROVER_ASSIGN(const json jobs,
                client->Get("/v1/jobs", {{"namespace", client->SearchedNamespace()}}));
  DROVER_TRY(CheckIsList(jobs));
  TextTable table({"ID", "Namespace", "Type", "Priority", "Status", "Submitted"});
  const ShownJobs shown = JobsToShow(jobs, verbose);
  for (const json* const job : shown.jobs) {
    table.Add({TextField(*job, "ID"), TextField(*job, "Namespace"), TextField(*job, "Type"),
               NumberText(*job, "Priority"), JobStatusCell(*job),
               LocalTime(NumberField(*job, "SubmitTime"))});
  }
  DROVER_ASSIGN(const int code, out->Print(jobs, table, "There are no jobs."));
  if (out->raw()) return code;
  for (const auto& [parent, count] : shown.left_out) {
    out->Line("... and " + std::to_string(count) + " older children of \"" +
              Printable(parent.second) + "\", which --verbose shows");
  }
  return code;
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
  const json deployment = get("/deployment").value_or(json());
  // Only an agent of Drover has such restarts.
  const json restarts = get("/restart").value_or(json::array());
  std::vector<json> children;
  if (IsParent(job)) {
    Query started = query;
    started.emplace_back("prefix", name.id + "/");
    DROVER_ASSIGN(const json list, client->Get("/v1/jobs", started));
    children = ChildrenOf(name.id, list);
  }
  if (out->raw()) {
    return out->Print({{"Job", job},
                       {"Summary", summary},
                       {"Evaluations", evals},
                       {"Allocations", allocs},
                       {"Deployment", deployment},
                       {"Restarts", restarts},
                       {"Children", children}});
  }
  PrintFields(out, {{"ID", TextField(job, "ID")},
                    {"Name", TextField(job, "Name")},
                    {"Namespace", TextField(job, "Namespace")},
                    {"Type", TextField(job, "Type")},
                    {"Priority", NumberText(job, "Priority")},
                    {"Version", NumberText(job, "Version")},
                    {"Submitted", LocalTime(NumberField(job, "SubmitTime"))},
                    {"Status", JobStatusCell(job)},
                    {"Description", TextField(job, "StatusDescription")},
                    {"Parent", TextField(job, "ParentID")},
                    {"Starts others", IsParent(job) ? ParentText(job) : ""}});
  if (IsParent(job)) {
    ShowChildren(out, summary, children, verbose);
    return kExitOk;
  }
  PrintHeading(out, "Summary");
  SummaryTable(summary).Print(out);
  ShowBlocked(out, evals);
  if (!AsMap(deployment).empty()) {
    PrintHeading(out, "Latest deployment");
    PrintFields(out, {{"ID", ShownId(TextField(deployment, "ID"), verbose)},
                      {"Status", StatusCell(TextField(deployment, "Status"))},
                      {"Description", TextField(deployment, "StatusDescription")}});
    DeploymentGroupTable(deployment).Print(out);
  }
  ShowRestart(out, restarts);
  PrintHeading(out, "Allocations");
  AllocTable(allocs, verbose).Print(out, "No allocations.");
  return kExitOk;
}

void AddJobStatus(const ClientGroup& job) {
  job.Add<JobStatusCommand>("status", "Lists the jobs, or shows one");
}

}  // namespace drover
