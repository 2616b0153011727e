// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/base/ids.h"
#include "host/encode/encode.h"
#include "host/spec/job_diff.h"

namespace drover {
namespace {

using nlohmann::json;

json EncodeUpdates(const PlanReply& plan, const std::string& name) {
  const GroupPlan& group = plan.plan.groups.at(name);
  const auto preempted = plan.preempted.find(name);
  int place = 0, canaries = 0, rescheduled = 0;
  for (const GroupPlan::Place& of : group.place) {
    if (of.rescheduled) ++rescheduled;
    if (of.canary && !of.stops) {
      ++canaries;
    } else if (!of.stops) {
      ++place;
    }
  }
  const auto replaced = static_cast<std::size_t>(group.destructive + group.migrate);
  const auto stopped = group.stop.size();
  const auto later = std::ranges::count_if(group.follow_ups, [](const auto& follow_up) {
    return follow_up.triggered_by == "alloc-failure";
  });
  return {{"Ignore", group.ignore},
          {"Place", std::max(place - group.migrate, 0)},
          {"Migrate", group.migrate},
          {"Stop", stopped > replaced ? stopped - replaced : 0},
          {"InPlaceUpdate", group.update.size()},
          {"DestructiveUpdate", group.destructive},
          {"Canary", canaries},
          {"Preemptions", preempted == plan.preempted.end() ? 0 : preempted->second.size()},
          {"Disconnect", group.disconnect.size()},
          {"Reconnect", group.reconnect.size()},
          {"RescheduleNow", rescheduled},
          {"RescheduleLater", later}};
}

// Returns how many allocations of a group each kind of update affects. The keys are words for
// people, such as "create".
json UpdateWords(const json& updates) {
  static constexpr std::pair<const char*, const char*> kWords[] = {
      {"Ignore", "ignore"},
      {"Canary", "canary"},
      {"Place", "create"},
      {"Migrate", "migrate"},
      {"Stop", "destroy"},
      {"InPlaceUpdate", "in-place update"},
      {"DestructiveUpdate", "create/destroy update"}};
  json words = json::object();
  for (const auto& [field, word] : kWords) {
    if (updates.at(field) != 0) words[word] = updates.at(field);
  }
  return words;
}

const char* ForcedBy(const json& task, const GroupPlan& group) {
  if (task.at("Type") == "Added") return "forces create";
  if (task.at("Type") == "Deleted") return "forces destroy";
  // Some of them, or all, may have to wait.
  const bool replaces = group.destructive > 0 || (group.update.empty() && group.waits);
  return replaces ? "forces create/destroy update" : "forces in-place update";
}

// Adds the numbers of updates to GROUP, which is the diff of a task group. Adds to each change in
// GROUP what the change forces, such as "forces create".
void Annotate(const PlanReply& plan, json* group) {
  const auto found = plan.plan.groups.find(group->at("Name").get<std::string>());
  if (found == plan.plan.groups.end()) return;
  (*group)["Updates"] = UpdateWords(EncodeUpdates(plan, found->first));
  for (json& task : (*group)["Tasks"]) task["Annotations"] = {ForcedBy(task, found->second)};
  for (json& field : (*group)["Fields"]) {
    if (field.at("Name") != "Count" || field.at("Type") != "Edited") continue;
    const bool more = std::stoll(field.at("New").get<std::string>()) >
                      std::stoll(field.at("Old").get<std::string>());
    field["Annotations"] = {more ? "forces create" : "forces destroy"};
  }
}

json EncodeDiff(const PlanReply& plan, json after) {
  after["Stop"] = false;  // a registered job must run
  json diff = DiffJobs(plan.before ? EncodeJob(*plan.before) : json(), after);
  for (json& group : diff["TaskGroups"]) Annotate(plan, &group);
  return diff;
}

// Returns the allocations that would have to make room; null if there are none. Who may plan a job
// may not see those of other namespaces.
json EncodePreempted(const PlanReply& plan, const std::string& job_namespace) {
  json stubs = nullptr;
  for (const auto& [name, victims] : plan.preempted) {
    for (const auto& victim : victims) {
      if (victim->alloc->job->job_namespace == job_namespace) {
        stubs.push_back(EncodeAllocStub(*victim, {}));
      }
    }
  }
  return stubs;
}

// Returns the blocked evaluation that a registration would make for the allocations that cannot be
// placed now. Returns null if all allocations can be placed.
json EncodeWaiting(const PlanReply& plan, const PlannedJob& planned) {
  if (plan.failed_groups.empty()) return nullptr;
  Evaluation eval;
  eval.id = RandomUuid();
  eval.job_namespace = planned.job.job_namespace;
  eval.job_id = planned.job.id;
  eval.type = planned.job.type;
  eval.priority = planned.job.priority;
  eval.triggered_by = "queued-allocs";
  eval.status = "blocked";
  eval.status_description = "created to place remaining allocations";
  eval.failed_groups = plan.failed_groups;
  for (const auto& [name, group] : plan.plan.groups) eval.queued[name] = 0;
  for (const auto& [name, failure] : plan.failed_groups) {
    eval.queued[name] = failure.coalesced_failures + 1;
  }
  eval.create_time = eval.modify_time = planned.now;
  return json::array({EncodeEval(eval)});
}

}  // namespace

json EncodePlan(const PlanReply& plan, const PlannedJob& planned) {
  json updates = json::object();
  for (const auto& [name, group] : plan.plan.groups) updates[name] = EncodeUpdates(plan, name);
  json failed = nullptr;
  for (const auto& [name, failure] : plan.failed_groups) failed[name] = EncodeFailure(failure);
  return {{"Annotations",
           {{"DesiredTGUpdates", std::move(updates)},
            {"PreemptedAllocs", EncodePreempted(plan, planned.job.job_namespace)}}},
          {"FailedTGAllocs", std::move(failed)},
          {"JobModifyIndex", plan.before ? plan.before->job_modify_index : 0},
          {"CreatedEvals", EncodeWaiting(plan, planned)},
          {"Diff", planned.diff ? EncodeDiff(plan, planned.json) : json()},
          {"NextPeriodicLaunch", EncodeNextLaunch(planned.job, planned.now)},
          {"Warnings", ""},
          {"Index", planned.index}};
}

}  // namespace drover
