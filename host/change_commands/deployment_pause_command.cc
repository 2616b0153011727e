// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/change_commands.h"
#include "host/change_commands/deployment_change.h"
#include "host/cli/id_lookup.h"

namespace drover {
namespace {

struct DeploymentPauseCommand {
  std::string id;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    wait.Declare(command);
    AddNote(command, "Nothing new is placed for it meanwhile, and no deadline passes.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string found, FindId(client, kDeploymentIds, id));
    const DeploymentChange change{
        .action = "pause", .outcome = "paused", .body = {{"Pause", true}}};
    return ChangeDeployment(client, out, found, change, wait);
  }
};

}  // namespace

void AddDeploymentPause(const ClientGroup& deployment) {
  deployment.Add<DeploymentPauseCommand>("pause", "Pauses a deployment, until it is resumed");
}

}  // namespace drover
