// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/stored_changes.h"

#include <nlohmann/json.hpp>

#include "host/spec/blocks/change_json.h"
#include "host/spec/blocks/disconnect_checks.h"
#include "host/spec/blocks/reschedule_checks.h"
#include "host/spec/blocks/update_checks.h"

namespace drover {
namespace {

template <typename Check>
bool IsRight(Check check) {
  JobFaults faults;
  check(JobPlace("", &faults));
  return faults.empty();
}

bool DropWrongOf(JobType type, TaskGroup* group) {
  const auto changes_right = [type, group] {
    return IsRight([&](const JobPlace& at) { CheckChanges(type, *group, at); });
  };
  bool dropped = false;
  const auto drop = [&dropped](auto* policy, const auto& with) {
    *policy = with;
    dropped = true;
  };
  if (!changes_right()) drop(&group->rollout, RolloutPolicy());
  if (!changes_right()) drop(&group->update, UpdatePolicy());
  if (!changes_right()) drop(&group->migrate_health, UpdatePolicy());
  if (!IsRight([&](const JobPlace& at) { CheckReschedule(type, group->reschedule, at); })) {
    drop(&group->reschedule, DefaultReschedulePolicy(type));
  }
  if (!IsRight([&](const JobPlace& at) { CheckDisconnect(group->disconnect, at); })) {
    drop(&group->disconnect, DisconnectPolicy());
  }
  return dropped;
}

}  // namespace

bool DropWrongChanges(Job* job) {
  bool dropped = false;
  for (TaskGroup& group : job->groups) dropped = DropWrongOf(job->type, &group) || dropped;
  return dropped;
}

void TakeOverChanges(const Job& sent, Job* job) {
  if (sent.type != job->type) return;
  for (TaskGroup& group : job->groups) {
    const TaskGroup* const of = FindGroup(sent, group.name);
    if (of == nullptr) continue;
    group.rollout = of->rollout;
    group.migrate_health = of->migrate_health;
    group.reschedule = of->reschedule;
    group.disconnect = of->disconnect;
  }
}

void EraseChanges(nlohmann::json* json) {
  if (!json->is_object()) return;
  for (const char* block : {"Update", "Migrate", "Reschedule"}) json->erase(block);
  const auto groups = json->find("TaskGroups");
  if (groups == json->end() || !groups->is_array()) return;
  for (nlohmann::json& group : *groups) {
    if (!group.is_object()) continue;
    for (const char* field :
         {"Update", "Migrate", "ReschedulePolicy", "Disconnect", "StopAfterClientDisconnect",
          "MaxClientDisconnect", "PreventRescheduleOnLost"}) {
      group.erase(field);
    }
  }
}

}  // namespace drover
