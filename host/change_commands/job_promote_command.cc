// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/change_commands/change_commands.h"
#include "host/change_commands/deployment_change.h"
#include "host/cli/id_lookup.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobPromoteCommand {
  std::string id;
  std::vector<std::string> groups;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command
        ->add_option("--group", groups,
                     "Only the canaries of this group; may be given several times")
        ->allow_extra_args(false);
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    DROVER_ASSIGN(const json latest, client->Get(ApiPath("/v1/job", job.id, "/deployment"),
                                                 {{"namespace", job.job_namespace}}));
    const std::string deployment = RawField(latest, "ID");
    if (deployment.empty()) {
      return Error(Code::kNotFound, "the job \"" + job.id + "\" has no deployment to promote");
    }
    return ChangeDeployment(client, out, deployment, PromotionOf(groups), wait);
  }
};

}  // namespace

void AddJobPromote(const ClientGroup& job) {
  job.Add<JobPromoteCommand>("promote",
                             "Promotes the canaries of a job, and waits for its deployment");
}

}  // namespace drover
