// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/change_commands.h"
#include "host/change_commands/deployment_change.h"
#include "host/cli/id_lookup.h"

namespace drover {
namespace {

struct DeploymentUnblockCommand {
  std::string id;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    wait.Declare(command);
    AddNote(command, "An agent of Drover has one region, so it blocks no deployment.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string found, FindId(client, kDeploymentIds, id));
    const DeploymentChange change{.action = "unblock", .outcome = "unblocked"};
    return ChangeDeployment(client, out, found, change, wait);
  }
};

}  // namespace

void AddDeploymentUnblock(const ClientGroup& deployment) {
  deployment.Add<DeploymentUnblockCommand>("unblock",
                                           "Lets a blocked deployment of several regions go on");
}

}  // namespace drover
