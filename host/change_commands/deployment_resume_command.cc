// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/change_commands.h"
#include "host/change_commands/deployment_change.h"
#include "host/cli/id_lookup.h"

namespace drover {
namespace {

struct DeploymentResumeCommand {
  std::string id;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string found, FindId(client, kDeploymentIds, id));
    const DeploymentChange change{
        .action = "pause", .outcome = "running", .body = {{"Pause", false}}, .goes_on = true};
    return ChangeDeployment(client, out, found, change, wait);
  }
};

}  // namespace

void AddDeploymentResume(const ClientGroup& deployment) {
  deployment.Add<DeploymentResumeCommand>("resume",
                                          "Resumes a paused deployment, and waits for its end");
}

}  // namespace drover
