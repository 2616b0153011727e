// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobEvalCommand {
  std::string id;
  bool force_reschedule = false;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_flag("--force-reschedule", force_reschedule,
                      "Replaces failed allocations, even those that must not be replaced yet");
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    DROVER_ASSIGN(
        const json answer,
        client->Put(ApiPath("/v1/job", job.id, "/evaluate"),
                    {{"JobID", job.id}, {"EvalOptions", {{"ForceReschedule", force_reschedule}}}},
                    {{"namespace", job.job_namespace}}));
    return FollowAnswer(client, out, wait, answer);
  }
};

}  // namespace

void AddJobEval(const ClientGroup& job) {
  job.Add<JobEvalCommand>("eval", "Has the scheduler look at a job again");
}

}  // namespace drover
