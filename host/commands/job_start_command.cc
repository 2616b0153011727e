// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/cli/submitted_job.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns the scaling blocks of JOB, each by a text that says what it scales.
std::map<std::string, json*> ScalingBlocks(json* job) {
  std::map<std::string, json*> blocks;
  const auto add = [&blocks](json* owner, const char* field, const std::string& name) {
    const auto found = owner->find(field);
    if (found == owner->end()) return;
    if (found->is_object()) blocks[name] = &*found;
    if (!found->is_array()) return;
    for (json& one : *found) {
      if (one.is_object()) blocks[name + "\n" + RawField(one, "Type")] = &one;
    }
  };
  if (ListField(*job, "TaskGroups").empty()) return blocks;
  for (json& group : job->at("TaskGroups")) {
    const std::string name = RawField(group, "Name");
    if (ListField(group, "Tasks").empty()) continue;  // every group of a job has a task
    add(&group, "Scaling", name);
    for (json& task : group.at("Tasks")) {
      if (task.is_object()) add(&task, "ScalingPolicies", name + "\n" + RawField(task, "Name"));
    }
  }
  return blocks;
}

// The stop of the job has disabled its scaling policies. Enables those of JOB that were enabled in
// its newest version that was not stopped.
Status EnableScaling(ApiClient* client, const JobName& name, json* job) {
  const auto blocks = ScalingBlocks(job);
  if (blocks.empty()) return {};
  DROVER_ASSIGN(json answer, client->Get(ApiPath("/v1/job", name.id, "/versions"),
                                         {{"namespace", name.job_namespace}}));
  json versions = ListField(answer, "Versions");
  const auto ran = std::find_if(versions.begin(), versions.end(),
                                [](const json& one) { return !FlagField(one, "Stop"); });
  if (ran == versions.end()) {
    std::fputs(
        "All scaling policies of the job were disabled when it was stopped: run its job file again "
        "to enable them\n",
        stderr);
    return {};
  }
  for (const auto& [what, before] : ScalingBlocks(&*ran)) {
    const auto now = blocks.find(what);
    if (now != blocks.end()) (*now->second)["Enabled"] = FlagField(*before, "Enabled");
  }
  return {};
}

struct JobStartCommand {
  std::string id;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName name, FindJob(client, id));
    const Query query = {{"namespace", name.job_namespace}};
    DROVER_ASSIGN(json job, client->Get(ApiPath("/v1/job", name.id), query));
    if (!FlagField(job, "Stop")) {
      return Error(Code::kFailedPrecondition, "the job \"" + name.id + "\" is not stopped");
    }
    DROVER_TRY(EnableScaling(client, name, &job));
    // The index makes sure that this command starts the job that it has read.
    json body = {{"EnforceIndex", true}, {"JobModifyIndex", NumberField(job, "JobModifyIndex")}};
    job["Stop"] = false;
    body["Job"] = std::move(job);
    DROVER_ASSIGN(const json answer, client->Put("/v1/jobs", body, query));
    if (!out->raw()) PrintWarnings(out, answer);
    return FollowAnswer(client, out, wait, answer);
  }
};

}  // namespace

void AddJobStart(const ClientGroup& job) {
  job.Add<JobStartCommand>("start", "Starts a stopped job again, as it was");
}

}  // namespace drover
