// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/terminal.h"

namespace drover {
namespace {

struct JobStopCommand {
  std::string id;
  bool purge = false;
  bool no_shutdown_delay = false;
  bool yes = false;
  bool global = false;
  std::optional<int> eval_priority;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_flag("--purge", purge, "Forgets the job, too");
    command->add_flag("--no-shutdown-delay", no_shutdown_delay,
                      "Stops the tasks without their shutdown delay");
    command->add_flag("--yes", yes, "Does not ask when only the beginning of the id is given");
    command->add_flag("--global", global, "Changes nothing: an agent has one region");
    AddEvalPriority(command, &eval_priority);
    wait.Declare(command);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    if (!job.exact && !yes) {
      DROVER_ASSIGN(const bool stop, Confirmed("Stop the job \"" + job.id + "\"?"));
      if (!stop) return kExitOk;
    }
    Query query = {{"namespace", job.job_namespace}};
    if (purge) query.emplace_back("purge", "true");
    if (no_shutdown_delay) query.emplace_back("no_shutdown_delay", "true");
    if (eval_priority) query.emplace_back("eval_priority", std::to_string(*eval_priority));
    DROVER_ASSIGN(const nlohmann::json answer, client->Delete(ApiPath("/v1/job", job.id), query));
    return FollowAnswer(client, out, wait, answer);
  }
};

}  // namespace

void AddJobStop(const ClientGroup& job) { job.Add<JobStopCommand>("stop", "Stops a job"); }

}  // namespace drover
