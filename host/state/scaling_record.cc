// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/scaling_record.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "host/base/ids.h"

namespace drover {
namespace {

using nlohmann::json;

// What two records must have alike to be the same policy of a job: group, task and type.
using Target = std::tuple<std::string, std::string, std::string>;

Target TargetOf(const ScalingRecord& record) {
  return {record.group, record.task, record.policy.type};
}

// Returns a record without id and indexes for each policy of JOB.
std::vector<ScalingRecord> DraftsOf(const Job& job) {
  std::vector<ScalingRecord> drafts;
  const auto add = [&](const std::string& group, const std::string& task,
                       const ScalingPolicy& policy) {
    drafts.push_back({"", job.job_namespace, job.id, group, task, policy});
  };
  for (const TaskGroup& group : job.groups) {
    if (group.scaling) add(group.name, "", *group.scaling);
    for (const Task& task : group.tasks) {
      for (const ScalingPolicy& policy : task.scaling) add(group.name, task.name, policy);
    }
  }
  return drafts;
}

JobScaling OrNone(ScalingRecords records) {
  if (records.empty()) return nullptr;
  return std::make_shared<const ScalingRecords>(std::move(records));
}

}  // namespace

JobScaling ScalingOf(const Job& job, const JobScaling& before, std::uint64_t index) {
  std::map<Target, std::shared_ptr<const ScalingRecord>> known;
  if (before != nullptr) {
    for (const auto& record : *before) known[TargetOf(*record)] = record;
  }
  ScalingRecords records;
  for (ScalingRecord& draft : DraftsOf(job)) {
    const auto same = known.find(TargetOf(draft));
    if (same != known.end() && same->second->policy == draft.policy) {
      records.push_back(same->second);
      continue;
    }
    const bool fresh = same == known.end();
    draft.id = fresh ? RandomUuid() : same->second->id;
    draft.create_index = fresh ? index : same->second->create_index;
    draft.modify_index = index;
    records.push_back(std::make_shared<const ScalingRecord>(std::move(draft)));
  }
  if (before != nullptr && records == *before) return before;
  return OrNone(std::move(records));
}

json EncodeScaling(const ScalingRecords& scaling) {
  json list = json::array();
  for (const auto& record : scaling) {
    list.push_back({{"id", record->id},
                    {"group", record->group},
                    {"task", record->task},
                    {"type", record->policy.type},
                    {"create_index", record->create_index},
                    {"modify_index", record->modify_index}});
  }
  return list;
}

JobScaling ReadScaling(const Job& job, const json& list) {
  std::map<Target, const json*> stored;
  for (const json& one : list) {
    stored[Target(one.at("group").get<std::string>(), one.at("task").get<std::string>(),
                  one.at("type").get<std::string>())] = &one;
  }
  ScalingRecords records;
  for (ScalingRecord& draft : DraftsOf(job)) {
    const auto same = stored.find(TargetOf(draft));
    if (same == stored.end()) continue;
    draft.id = same->second->at("id").get<std::string>();
    draft.create_index = same->second->at("create_index").get<std::uint64_t>();
    draft.modify_index = same->second->at("modify_index").get<std::uint64_t>();
    records.push_back(std::make_shared<const ScalingRecord>(std::move(draft)));
  }
  return OrNone(std::move(records));
}

}  // namespace drover
