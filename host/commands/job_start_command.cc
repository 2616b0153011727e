// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/cli/submitted_job.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

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
