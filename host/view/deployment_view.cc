// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/deployment_view.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/printable.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

bool IsPromoted(const json& group) { return FlagField(group, "Promoted"); }

std::string CanaryText(const json& group) {
  const std::int64_t desired = NumberField(group, "DesiredCanaries");
  if (desired == 0) return "";
  const std::size_t placed = ListField(group, "PlacedCanaries").size();
  const char* const then = IsPromoted(group)                 ? "promoted"
                           : FlagField(group, "AutoPromote") ? "not promoted yet"
                                                             : "to be promoted";
  return ", canaries " + std::to_string(placed) + " of " + std::to_string(desired) + " placed, " +
         then;
}

std::string GroupLine(const std::string& name, const json& group) {
  const std::int64_t unhealthy = NumberField(group, "UnhealthyAllocs");
  return "  " + Printable(name) + ": " + NumberText(group, "HealthyAllocs") + " of " +
         NumberText(group, "DesiredTotal") + " healthy, " + NumberText(group, "PlacedAllocs") +
         " placed" + (unhealthy > 0 ? ", " + std::to_string(unhealthy) + " unhealthy" : "") +
         CanaryText(group);
}

std::string YesNo(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::vector<std::string> DeploymentLines(const json& deployment, bool full_ids) {
  std::vector<std::string> lines;
  const std::string why = TextField(deployment, "StatusDescription");
  lines.push_back("deployment " + ShownId(TextField(deployment, "ID"), full_ids) + " of version " +
                  NumberText(deployment, "JobVersion") + ": " + TextField(deployment, "Status") +
                  (why.empty() ? "" : ": " + why));
  for (const auto& [name, group] : MapField(deployment, "TaskGroups").items()) {
    lines.push_back(GroupLine(name, group));
  }
  return lines;
}

bool DeploymentEnded(const json& deployment) {
  const std::string status = RawField(deployment, "Status");
  return status == "successful" || status == "failed" || status == "cancelled";
}

bool WaitsForPromotion(const json& deployment) {
  if (DeploymentEnded(deployment)) return false;
  const json& groups = MapField(deployment, "TaskGroups");
  return std::any_of(groups.begin(), groups.end(), [](const json& group) {
    return NumberField(group, "DesiredCanaries") > 0 && !IsPromoted(group) &&
           !FlagField(group, "AutoPromote");
  });
}

TextTable DeploymentTable(const json& list, bool full_ids) {
  TextTable table({"ID", "Job", "Version", "Status", "Description"});
  for (const json& one : AsList(list)) {
    table.Add({ShownId(TextField(one, "ID"), full_ids), TextField(one, "JobID"),
               NumberText(one, "JobVersion"), StatusCell(TextField(one, "Status")),
               TextField(one, "StatusDescription")});
  }
  return table;
}

TextTable DeploymentGroupTable(const json& deployment) {
  TextTable table({"Group", "Auto revert", "Promoted", "Desired", "Canaries", "Placed", "Healthy",
                   "Unhealthy", "Progress by"});
  for (const auto& [name, group] : MapField(deployment, "TaskGroups").items()) {
    const bool canaries = NumberField(group, "DesiredCanaries") > 0;
    table.Add({Printable(name), YesNo(FlagField(group, "AutoRevert")),
               canaries ? YesNo(IsPromoted(group)) : "-", NumberText(group, "DesiredTotal"),
               canaries ? NumberText(group, "DesiredCanaries") : "-",
               NumberText(group, "PlacedAllocs"), NumberText(group, "HealthyAllocs"),
               NumberText(group, "UnhealthyAllocs"),
               Moment(TextField(group, "RequireProgressBy"))});
  }
  return table;
}

LiveDeployment::~LiveDeployment() {
  if (!terminal_->is_terminal()) return;
  terminal_->Block({});
  for (const std::string& line : shown_) terminal_->Line(line);
}

void LiveDeployment::Show(const json& deployment) {
  std::vector<std::string> lines = DeploymentLines(deployment, full_ids_);
  if (terminal_->is_terminal()) {
    terminal_->Block(lines);
  } else {
    for (const std::string& line : lines) {
      if (std::ranges::find(shown_, line) == shown_.end()) terminal_->Line(line);
    }
  }
  shown_ = std::move(lines);
}

}  // namespace drover
