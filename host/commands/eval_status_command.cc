// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
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

// Returns until when an evaluation waits, and how long it does; empty if it does not.
std::string WaitText(const json& eval) {
  const std::string until = TextField(eval, "WaitUntil");
  if (until.empty() || until.starts_with("0001-")) return "";
  const Duration wait(NumberField(eval, "Wait"));
  return Moment(until) + (wait > 0s ? " (" + FormatDuration(wait) + ")" : "");
}

// Returns what the scheduler has looked at before it gave up on a group.
std::string MetricsLine(const std::string& group, const json& failure) {
  return "task group \"" + Printable(group) + "\": " + NumberText(failure, "NodesEvaluated") +
         " nodes evaluated, " + NumberText(failure, "NodesFiltered") + " filtered, " +
         NumberText(failure, "NodesExhausted") + " exhausted; queued: ";
}

void PrintEvalFields(Terminal* terminal, const json& eval, bool verbose) {
  const WallTime now = WallNow();
  const auto shown_id = [&](const char* field) { return ShownId(TextField(eval, field), verbose); };
  PrintFields(terminal, {{"ID", TextField(eval, "ID")},
                         {"Job", TextField(eval, "JobID")},
                         {"Namespace", TextField(eval, "Namespace")},
                         {"Type", TextField(eval, "Type")},
                         {"Triggered by", TextField(eval, "TriggeredBy")},
                         {"Priority", NumberText(eval, "Priority")},
                         {"Status", StatusCell(TextField(eval, "Status"))},
                         {"Description", TextField(eval, "StatusDescription")},
                         {"Node", shown_id("NodeID")},
                         {"Deployment", shown_id("DeploymentID")},
                         {"Waits until", WaitText(eval)},
                         {"Previous", shown_id("PreviousEval")},
                         {"Next", shown_id("NextEval")},
                         {"Waiting", shown_id("BlockedEval")},
                         {"Created", Ago(NumberField(eval, "CreateTime"), now)},
                         {"Modified", Ago(NumberField(eval, "ModifyTime"), now)}});
}

struct EvalStatusCommand {
  std::string id;
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string whole_id, FindId(client, kEvalIds, id));
    return ShowEval(client, out, whole_id, verbose);
  }
};

}  // namespace

Result<int> ShowEval(ApiClient* client, Output* out, const std::string& id, bool verbose) {
  const std::string path = ApiPath("/v1/evaluation", id);
  DROVER_ASSIGN(const json eval, client->Get(path, {{"related", "true"}}));
  if (out->raw()) return out->Print(eval);
  DROVER_ASSIGN(const json allocs, client->Get(path + "/allocations"));
  PrintEvalFields(out, eval, verbose);
  const json& failures = MapField(eval, "FailedTGAllocs");
  if (!failures.empty()) PrintHeading(out, "Not placed");
  for (const std::string& line : PlacementFailureLines(failures)) out->Line(line);
  const json& queued = MapField(eval, "QueuedAllocations");
  for (const auto& [group, failure] : failures.items()) {
    out->Line(MetricsLine(group, failure) + NumberText(queued, group.c_str()));
  }
  PrintPart(out, "Related evaluations", RelatedEvalTable(ListField(eval, "RelatedEvals"), verbose));
  PrintPart(out, "Allocations", AllocTable(allocs, verbose));
  return kExitOk;
}

void AddEvalStatus(const ClientGroup& eval) {
  eval.Add<EvalStatusCommand>("status", "Shows an evaluation");
}

}  // namespace drover
