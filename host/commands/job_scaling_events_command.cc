// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns a table of the events in STATE, the newest first.
TextTable EventTable(const json& state, bool verbose) {
  std::vector<std::pair<std::string, const json*>> events;  // each with the name of its group
  for (const auto& [group, of] : MapField(state, "TaskGroups").items()) {
    for (const json& event : ListField(of, "Events")) events.emplace_back(group, &event);
  }
  std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    return NumberField(*a.second, "Time") > NumberField(*b.second, "Time");
  });
  std::vector<std::string> head = {"Group", "Count", "Before", "Time"};
  if (verbose) head.insert(head.end(), {"Error", "Evaluation", "Message"});
  TextTable table(std::move(head));
  for (const auto& [group, event] : events) {
    std::vector<Cell> row = {Printable(group), NumberText(*event, "Count"),
                             NumberText(*event, "PreviousCount"),
                             LocalTime(NumberField(*event, "Time"))};
    if (verbose) {
      row.emplace_back(FlagField(*event, "Error") ? "yes" : "no");
      row.emplace_back(TextField(*event, "EvalID"));
      row.emplace_back(TextField(*event, "Message"));
    }
    table.Add(std::move(row));
  }
  return table;
}

struct JobScalingEventsCommand {
  std::string id;
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_flag("--verbose", verbose, "Prints also errors, evaluations and messages");
    AddNote(command, "An agent of Drover keeps no such events, but one of Nomad does.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    DROVER_ASSIGN(const json state, client->Get(ApiPath("/v1/job", job.id, "/scale"),
                                                {{"namespace", job.job_namespace}}));
    return out->Print(state, EventTable(state, verbose), "No events found");
  }
};

}  // namespace

void AddJobScalingEvents(const ClientGroup& job) {
  job.Add<JobScalingEventsCommand>("scaling-events",
                                   "Lists the latest changes of the counts of a job");
}

}  // namespace drover
