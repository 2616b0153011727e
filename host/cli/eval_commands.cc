// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What looks at evaluations and deletes them, and the garbage collection.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"
#include "host/cli/readable.h"

namespace drover {
namespace {

using nlohmann::json;

// The newest first.
std::vector<const json*> Sorted(const json& evals) {
  std::vector<const json*> sorted;
  for (const json& eval : AsList(evals)) sorted.push_back(&eval);
  std::sort(sorted.begin(), sorted.end(), [](const json* a, const json* b) {
    return std::pair(NumberField(*a, "CreateIndex"), RawField(*a, "ID")) >
           std::pair(NumberField(*b, "CreateIndex"), RawField(*b, "ID"));
  });
  return sorted;
}

TextTable EvalTable(const json& evals, bool full_ids) {
  TextTable table({"ID", "Job", "Priority", "Triggered by", "Status", "Created"});
  const WallTime now = WallNow();
  for (const json* eval : Sorted(evals)) {
    table.Add({ShownId(TextField(*eval, "ID"), full_ids), TextField(*eval, "JobID"),
               std::to_string(NumberField(*eval, "Priority")), TextField(*eval, "TriggeredBy"),
               StatusCell(TextField(*eval, "Status")), Ago(NumberField(*eval, "CreateTime"), now)});
  }
  return table;
}

Result<int> Show(ApiClient* client, Terminal* terminal, const EvalOptions& options) {
  DROVER_ASSIGN(const std::string id, FindId(client, kEvalIds, options.id));
  const std::string path = ApiPath("/v1/evaluation", id);
  DROVER_ASSIGN(const json eval, client->Get(path, {{"related", "true"}}));
  if (options.raw()) return PrintAnswer(options, eval);
  DROVER_ASSIGN(const json allocs, client->Get(path + "/allocations"));
  const WallTime now = WallNow();
  const auto shown_id = [&](const char* field) {
    return ShownId(TextField(eval, field), options.verbose);
  };
  PrintFields(terminal, {{"ID", TextField(eval, "ID")},
                         {"Job", TextField(eval, "JobID")},
                         {"Namespace", TextField(eval, "Namespace")},
                         {"Type", TextField(eval, "Type")},
                         {"Triggered by", TextField(eval, "TriggeredBy")},
                         {"Priority", std::to_string(NumberField(eval, "Priority"))},
                         {"Status", StatusCell(TextField(eval, "Status"))},
                         {"Description", TextField(eval, "StatusDescription")},
                         {"Previous", shown_id("PreviousEval")},
                         {"Next", shown_id("NextEval")},
                         {"Waiting", shown_id("BlockedEval")},
                         {"Created", Ago(NumberField(eval, "CreateTime"), now)},
                         {"Modified", Ago(NumberField(eval, "ModifyTime"), now)}});
  const json& failures = MapField(eval, "FailedTGAllocs");
  if (!failures.empty()) PrintHeading(terminal, "Not placed");
  for (const auto& [group, failure] : failures.items()) {
    for (const std::string& line : PlacementFailureLines(group, failure)) terminal->Line(line);
  }
  const TextTable related = EvalTable(ListField(eval, "RelatedEvals"), options.verbose);
  if (!related.empty()) {
    PrintHeading(terminal, "Related evaluations");
    related.Print(terminal);
  }
  const TextTable placed = AllocTable(allocs, options.verbose);
  if (!placed.empty()) {
    PrintHeading(terminal, "Allocations");
    placed.Print(terminal);
  }
  return kExitOk;
}

Result<int> List(ApiClient* client, Terminal* terminal, const EvalOptions& options) {
  Query query = {{"namespace", client->SearchedNamespace()}};
  if (!options.job.empty()) query.emplace_back("job", options.job);
  if (!options.status.empty()) query.emplace_back("status", options.status);
  DROVER_ASSIGN(const json evals, client->Get("/v1/evaluations", query));
  if (options.raw()) return PrintAnswer(options, evals);
  const TextTable table = EvalTable(evals, options.verbose);
  if (table.empty()) {
    terminal->Line("There are no such evaluations.");
  } else {
    table.Print(terminal);
  }
  return kExitOk;
}

// Those that are named, or that a filter chooses; what is needed stays.
Result<int> Delete(ApiClient* client, Terminal* terminal, const EvalOptions& options) {
  json body = json::object();
  if (!options.filter.empty()) {
    body["Filter"] = options.filter;
    if (!options.yes) {
      DROVER_ASSIGN(const bool sure, Confirmed("Delete all evaluations that match " +
                                               options.filter + " and that nothing needs?"));
      if (!sure) return kExitOk;
    }
  }
  for (const std::string& id : options.ids) {
    DROVER_ASSIGN(std::string whole, FindId(client, kEvalIds, id));
    body["EvalIDs"].push_back(std::move(whole));
  }
  DROVER_ASSIGN(
      const json answer,
      client->DeleteThose("/v1/evaluations", body, {{"namespace", client->SearchedNamespace()}}));
  if (options.raw()) return PrintAnswer(options, answer);
  const std::int64_t count = NumberField(answer, "Count");
  terminal->Line(std::to_string(count) + (count == 1 ? " evaluation is" : " evaluations are") +
                 " deleted");
  return kExitOk;
}

}  // namespace

int EvalDeleteCommand(const EvalOptions& options) {
  return RunClientCommand("eval delete", options,
                          [&](auto* client, auto* out) { return Delete(client, out, options); });
}

int EvalStatusCommand(const EvalOptions& options) {
  return RunClientCommand("eval status", options,
                          [&](auto* client, auto* out) { return Show(client, out, options); });
}

int EvalListCommand(const EvalOptions& options) {
  return RunClientCommand("eval list", options,
                          [&](auto* client, auto* out) { return List(client, out, options); });
}

int SystemGcCommand(const ClientCommandOptions& options) {
  return RunClientCommand("system gc", options, [](auto* client, auto*) -> Result<int> {
    DROVER_TRY(client->Put("/v1/system/gc", json(nullptr)));
    return kExitOk;
  });
}

}  // namespace drover
