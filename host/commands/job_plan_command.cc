// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/cli/shell_word.h"
#include "host/cli/submitted_job.h"
#include "host/commands/commands.h"
#include "host/view/job_diff_lines.h"
#include "host/view/json_fields.h"
#include "host/view/placement_failures.h"

namespace drover {
namespace {

using nlohmann::json;
using Colour = Terminal::Colour;

constexpr int kExitChanges = 1;
constexpr int kExitPlanError = 255;

// A kind of change in a plan. FIELD is the name of the plan's field with the number of allocations
// of a task group that have this kind of change.
struct Change {
  const char* field;
  const char* what;
  Colour colour;
  bool is_change;
};
constexpr Change kChanges[] = {{"Place", "create", Colour::kGreen, true},
                               {"DestructiveUpdate", "replace", Colour::kYellow, true},
                               {"Canary", "canary", Colour::kYellow, true},
                               {"Migrate", "migrate", Colour::kYellow, true},
                               {"Stop", "stop", Colour::kRed, true},
                               {"InPlaceUpdate", "update in place", Colour::kBlue, false},
                               {"Ignore", "unchanged", Colour::kGrey, false}};

struct JobPlanCommand {
  std::string file;
  HclOptions hcl;
  bool diff = true;
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The job file, in HCL or JSON; -: stdin")->required();
    hcl.Declare(command);
    command->add_flag("--diff", diff, "With =false, the fields that differ are not shown");
    command->add_flag("--verbose", verbose, "Changes nothing: all that differs is shown anyway");
    AddNote(command, "Exit code: 0 no allocation would come or go, 1 some would, 255 an error.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const SubmittedJob read, ReadSubmittedJob(file, hcl));
    const json body = {{"Job", read.job}, {"Diff", diff}};
    const Result<json> plan =
        client->Put(ApiPath("/v1/job", read.id, "/plan"), body, NamespaceQuery(*client));
    if (!plan.ok()) {
      return read.places.WithPlaces(plan.error()).WithContext("the job cannot be planned");
    }
    DROVER_TRY(CheckIsObject(*plan));
    if (out->raw()) {
      DROVER_TRY(out->Print(*plan));
    } else {
      Show(out, *plan);
    }
    return HasChanges(*plan) ? kExitChanges : kExitOk;
  }

  void Show(Terminal* terminal, const json& plan) const {
    if (diff) PrintJobDiff(terminal, MapField(plan, "Diff"));
    PrintWarnings(terminal, plan);
    for (const auto& [group, counts] : Updates(plan).items()) {
      std::string line;
      for (const Change& change : kChanges) {
        if (NumberField(counts, change.field) == 0) continue;
        line +=
            (line.empty() ? "" : ", ") +
            terminal->Paint(change.colour, NumberText(counts, change.field) + " " + change.what);
      }
      terminal->Line("task group \"" + Printable(group) +
                     "\": " + (line.empty() ? "nothing" : line));
    }
    for (const std::string& line : PlacementFailureLines(MapField(plan, "FailedTGAllocs"))) {
      terminal->Line(line);
    }
    terminal->Line(
        "To run it only if nobody changes the job before: drover job run --check-index " +
        NumberText(plan, "JobModifyIndex") + Printable(hcl.Words()) + " " +
        Printable(ShortShellWord(file)));
  }

  static bool HasChanges(const json& plan) {
    for (const json& counts : Updates(plan)) {
      for (const Change& change : kChanges) {
        if (change.is_change && NumberField(counts, change.field) != 0) return true;
      }
    }
    return false;
  }

  // Returns the numbers of changes in PLAN. The key is the name of the task group.
  static const json& Updates(const json& plan) {
    return MapField(MapField(plan, "Annotations"), "DesiredTGUpdates");
  }
};

}  // namespace

void AddJobPlan(const ClientGroup& job) {
  job.Add<JobPlanCommand>("plan", "Tells what running a job would change", kExitPlanError);
}

}  // namespace drover
