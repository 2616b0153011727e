// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobPeriodicForceCommand {
  std::string id;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id, JobKind::kPeriodic));
    DROVER_ASSIGN(const json answer,
                  client->Put(ApiPath("/v1/job", job.id, "/periodic/force"), json::object(),
                              {{"namespace", job.job_namespace}}));
    return FollowAnswer(client, out, wait, answer);
  }
};

}  // namespace

void AddJobPeriodicForce(const ClientGroup& periodic) {
  periodic.Add<JobPeriodicForceCommand>(
      "force", "Starts a child of a periodic job now, even if one of its children runs");
}

}  // namespace drover
