// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode.h"
#include "host/encode/encode_scaling.h"
#include "host/periodic/schedule.h"

namespace drover {

using nlohmann::json;

json EncodeJob(const JobRecord& job) {
  json out = job.json.Copy();
  out["Stop"] = job.stop;
  out["NomadTokenID"] = "";
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
  if (job.scaling != nullptr) AddScalingAnswers(*job.scaling, &out);
  return out;
}

AllocRecords AllocsOf(const JobRecord& job, const Tables& tables) {
  AllocRecords allocs;
  for (const auto& record : tables.AllocsOf(KeyOf(*job.job))) {
    if (record->job->create_index == job.create_index) allocs.push_back(record);
  }
  return allocs;
}

JobParts PartsOf(const JobRecord& job, const Tables& tables) {
  const JobKey key = KeyOf(*job.job);
  JobParts parts;
  if (const auto all = tables.statuses_of_job.find(key); all != tables.statuses_of_job.end()) {
    for (const auto& [group, counts] : all->second) {
      if (group.first == job.create_index) parts.groups[group.second] = counts;
    }
  }
  for (const std::string_view id : tables.OpenEvalsOf(key)) {
    const auto& eval = tables.evals.at(id);
    if (eval->status == "blocked") parts.blocked.push_back(eval);
  }
  if (const auto children = tables.children.find(key); children != tables.children.end()) {
    parts.pending_children = children->second.pending.size();
    parts.running_children = children->second.running.size();
    parts.dead_children = children->second.dead.size();
  }
  return parts;
}

json EncodeJobSummary(const JobRecord& job, const JobParts& parts) {
  const JobKey key = KeyOf(*job.job);
  std::map<std::string, StatusCounts> groups = parts.groups;
  for (const TaskGroup& group : job.job->groups) groups[group.name];
  std::map<std::string, int> queued;
  for (const auto& eval : parts.blocked) {
    for (const auto& [group, count] : eval->queued) {
      groups[group];
      queued[group] += count;
    }
  }
  json summary = json::object();
  for (const auto& [name, counts] : groups) {
    const auto of = [&counts](ClientStatus status) {
      return counts[static_cast<std::size_t>(status)];
    };
    summary[name] = {{"Queued", queued[name]},
                     {"Complete", of(ClientStatus::kComplete)},
                     {"Failed", of(ClientStatus::kFailed)},
                     {"Running", of(ClientStatus::kRunning)},
                     {"Starting", of(ClientStatus::kPending)},
                     {"Lost", of(ClientStatus::kLost)},
                     {"Unknown", of(ClientStatus::kUnknown)}};
  }
  return {{"JobID", key.second},
          {"Namespace", key.first},
          {"Summary", std::move(summary)},
          {"Children",
           {{"Pending", parts.pending_children},
            {"Running", parts.running_children},
            {"Dead", parts.dead_children}}},
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

json EncodeDispatchReply(const DispatchReply& reply) {
  return {{"DispatchedJobID", reply.child_id},
          {"EvalID", reply.registered.eval_id},
          {"EvalCreateIndex", reply.registered.eval_create_index},
          {"JobCreateIndex", reply.registered.job_modify_index},
          {"Index", reply.registered.index}};
}

json EncodeNextLaunch(const Job& job, WallTime now) {
  const std::optional<WallTime> next = NextLaunch(job, now);
  return next ? json(Rfc3339(*next)) : json();
}

json EncodeJobStub(const JobRecord& record, json summary, bool meta) {
  const Job& job = *record.job;
  json out = {{"ID", job.id},
              {"ParentID", job.parent_id},
              {"Name", job.name},
              {"Namespace", job.job_namespace},
              {"Datacenters", job.datacenters},
              {"NodePool", job.node_pool},
              {"Multiregion", nullptr},
              {"Type", JobTypeName(job.type)},
              {"Priority", job.priority},
              {"Periodic", job.periodic.has_value()},
              {"ParameterizedJob", job.parameterized.has_value() && !job.dispatched},
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
