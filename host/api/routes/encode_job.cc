// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/routes/encode.h"
#include "host/spec/job_fields.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;

// Puts what WE made of the job over what the client sent: fields that have no effect here are told
// as they came.
json Overlay(const json& sent, json ours) {
  if (sent.is_object() && ours.is_object()) {
    for (const auto& [key, value] : sent.items()) {
      const auto found = ours.find(key);
      if (found == ours.end()) {
        ours[key] = value;
      } else {
        *found = Overlay(value, std::move(*found));
      }
    }
  } else if (sent.is_array() && ours.is_array() && sent.size() == ours.size()) {
    for (std::size_t i = 0; i < sent.size(); ++i) ours[i] = Overlay(sent[i], std::move(ours[i]));
  } else if (ours.is_null()) {
    return sent;
  }
  return ours;
}

// Clients read durations as numbers, also those of fields that have no effect here.
void TellDurationsAsNumbers(std::span<const JobField> fields, json* object) {
  for (const JobField& field : fields) {
    const auto member = object->find(field.name);
    if (member == object->end()) continue;
    Duration duration{0};
    if (field.kind == FieldKind::kDuration && member->is_string()) {
      if (ReadJsonDuration(*member, &duration)) *member = duration.count();
    } else if (field.kind == FieldKind::kObject && member->is_object()) {
      TellDurationsAsNumbers(field.members, &*member);
    } else if (field.kind == FieldKind::kObjectList && member->is_array()) {
      for (json& element : *member) TellDurationsAsNumbers(field.members, &element);
    }
  }
}

// Clients read all of a policy when there is one. Nothing is rescheduled, so what it leaves out is
// that there are no attempts.
void CompleteReschedulePolicies(json* job) {
  static const json kNothing = {{"Attempts", 0},
                                {"Interval", 0},
                                {"Delay", 30'000'000'000},
                                {"DelayFunction", "exponential"},
                                {"MaxDelay", 3'600'000'000'000},
                                {"Unlimited", true}};
  for (json& group : job->at("TaskGroups")) {
    const auto policy = group.find("ReschedulePolicy");
    if (policy == group.end() || !policy->is_object()) continue;
    for (const auto& [field, missing] : kNothing.items()) {
      json& value = (*policy)[field];
      if (value.is_null()) value = missing;
    }
  }
}

}  // namespace

json CanonicalJob(const Job& job, const json& original) {
  json sent = json::object();
  for (const auto& [key, value] : original.items()) {
    // Stop is never true in a job that is taken.
    if (!IsServerField(key) && key != "Stop") sent[key] = value;
  }
  json out = Overlay(sent, json::parse(JobToJson(job)));
  json& pool = out["NodePool"];
  if (pool.is_null() || pool == "") pool = "default";
  TellDurationsAsNumbers(JobFields(), &out);
  CompleteReschedulePolicies(&out);
  return out;
}

json EncodeJob(const JobRecord& job) {
  json out = *job.json;
  out["Stop"] = job.stop;
  out["Status"] = job.status;
  out["StatusDescription"] = "";
  out["Stable"] = job.stable;
  out["VersionTag"] = job.tag ? json{{"Name", job.tag->name},
                                     {"Description", job.tag->description},
                                     {"TaggedTime", job.tag->tagged_time}}
                              : json();
  out["Version"] = job.version;
  out["SubmitTime"] = job.submit_time;
  out["CreateIndex"] = job.create_index;
  out["ModifyIndex"] = job.modify_index;
  out["JobModifyIndex"] = job.job_modify_index;
  return out;
}

JobParts PartsOf(const JobRecord& job, const Tables& tables) {
  const JobKey key = KeyOf(*job.job);
  JobParts parts;
  for (const auto& record : tables.AllocsOf(key)) {
    if (record->job->create_index == job.create_index) parts.allocs.push_back(record);
  }
  if (const auto ids = tables.evals_of_job.find(key); ids != tables.evals_of_job.end()) {
    for (const std::string& id : ids->second) {
      const auto& eval = tables.evals.at(id);
      if (eval->status == "blocked") parts.blocked.push_back(eval);
    }
  }
  return parts;
}

json EncodeJobSummary(const JobRecord& job, const JobParts& parts) {
  const JobKey key = KeyOf(*job.job);
  std::map<std::string, std::map<std::string, int>> groups;
  for (const TaskGroup& group : job.job->groups) groups[group.name];
  for (const auto& record : parts.allocs) {
    const char* count = "Starting";
    switch (record->told.status.status) {
      case ClientStatus::kPending:
        break;
      case ClientStatus::kRunning:
        count = "Running";
        break;
      case ClientStatus::kComplete:
        count = "Complete";
        break;
      case ClientStatus::kFailed:
        count = "Failed";
        break;
      case ClientStatus::kLost:
        count = "Lost";
        break;
      case ClientStatus::kUnknown:
        count = "Unknown";
        break;
    }
    ++groups[record->alloc->group_name][count];
  }
  for (const auto& eval : parts.blocked) {
    for (const auto& [group, queued] : eval->queued) groups[group]["Queued"] += queued;
  }
  json summary = json::object();
  for (auto& [name, counts] : groups) {
    for (const char* count :
         {"Queued", "Complete", "Failed", "Running", "Starting", "Lost", "Unknown"}) {
      summary[name][count] = counts[count];
    }
  }
  return {{"JobID", key.second},
          {"Namespace", key.first},
          {"Summary", std::move(summary)},
          {"Children", {{"Pending", 0}, {"Running", 0}, {"Dead", 0}}},
          {"CreateIndex", job.create_index},
          {"ModifyIndex", job.modify_index}};
}

json EncodeJobReply(const JobReply& reply) {
  return {{"EvalID", reply.eval_id},
          {"EvalCreateIndex", reply.eval_create_index},
          {"JobModifyIndex", reply.job_modify_index},
          {"Warnings", ""},
          {"Index", reply.index},
          {"LastContact", 0},
          {"KnownLeader", false},
          {"NextToken", ""}};
}

json EncodeJobStub(const JobRecord& record, json summary, bool meta) {
  const Job& job = *record.job;
  json out = {{"ID", job.id},
              {"ParentID", job.parent_id},
              {"Name", job.name},
              {"Namespace", job.job_namespace},
              {"Datacenters", job.datacenters},
              {"NodePool", "default"},
              {"Multiregion", nullptr},
              {"Type", JobTypeName(job.type)},
              {"Priority", job.priority},
              {"Periodic", false},
              {"ParameterizedJob", false},
              {"Stop", record.stop},
              {"Status", record.status},
              {"StatusDescription", ""},
              {"JobSummary", std::move(summary)},
              {"CreateIndex", record.create_index},
              {"ModifyIndex", record.modify_index},
              {"JobModifyIndex", record.job_modify_index},
              {"SubmitTime", record.submit_time}};
  if (meta) out["Meta"] = job.meta;
  return out;
}

}  // namespace drover
