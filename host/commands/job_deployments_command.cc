// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/deployment_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobDeploymentsCommand {
  std::string id;
  bool latest = false;
  bool all = false;
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    CLI::Option* const only = command->add_flag("--latest", latest, "Only the latest one");
    command->add_flag("--all", all, "Those of an earlier job of this id, too")->excludes(only);
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    Query query = {{"namespace", job.job_namespace}};
    if (all) query.emplace_back("all", "true");
    DROVER_ASSIGN(
        const json answer,
        client->Get(ApiPath("/v1/job", job.id, latest ? "/deployment" : "/deployments"), query));
    const json list = answer.is_object() ? json::array({answer}) : answer;
    return out->Print(answer, DeploymentTable(list, verbose), "No deployments found");
  }
};

}  // namespace

void AddJobDeployments(const ClientGroup& job) {
  job.Add<JobDeploymentsCommand>("deployments", "Lists the deployments of a job");
}

}  // namespace drover
