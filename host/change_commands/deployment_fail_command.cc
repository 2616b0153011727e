// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/change_commands.h"
#include "host/change_commands/deployment_change.h"
#include "host/cli/id_lookup.h"

namespace drover {
namespace {

struct DeploymentFailCommand {
  std::string id;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    wait.Declare(command);
    AddNote(command,
            "The allocations of the failed version stay, unless a group of the job has auto_revert "
            "and there is a stable version before it.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string found, FindId(client, kDeploymentIds, id));
    const DeploymentChange change{.action = "fail", .outcome = "failed"};
    return ChangeDeployment(client, out, found, change, wait);
  }
};

}  // namespace

void AddDeploymentFail(const ClientGroup& deployment) {
  deployment.Add<DeploymentFailCommand>("fail",
                                        "Fails a deployment; its job goes back if it shall");
}

}  // namespace drover
