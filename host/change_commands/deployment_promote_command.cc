// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/change_commands.h"
#include "host/change_commands/deployment_change.h"
#include "host/cli/id_lookup.h"

namespace drover {
namespace {

struct DeploymentPromoteCommand {
  std::string id;
  std::vector<std::string> groups;
  bool all = false;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    CLI::Option* const some =
        command
            ->add_option("--group", groups,
                         "Only the canaries of this group; may be given several times")
            ->allow_extra_args(false);
    command->add_flag("--all", all, "Those of all groups, as without --group")->excludes(some);
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string found, FindId(client, kDeploymentIds, id));
    return ChangeDeployment(client, out, found, PromotionOf(groups), wait);
  }
};

}  // namespace

void AddDeploymentPromote(const ClientGroup& deployment) {
  deployment.Add<DeploymentPromoteCommand>(
      "promote", "Promotes the canaries of a deployment, and waits for its end");
}

}  // namespace drover
