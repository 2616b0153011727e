// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/change_commands/change_commands.h"
#include "host/change_commands/deployment_change.h"
#include "host/cli/answer_check.h"
#include "host/cli/deployment_follower.h"
#include "host/cli/id_lookup.h"
#include "host/view/deployment_view.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

using nlohmann::json;

struct DeploymentStatusCommand {
  std::string id;
  bool monitor = false;
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id, false);
    command->add_flag("--monitor", monitor, "Shows it live until it has ended");
    AddVerbose(command, &verbose);
    AddNote(command,
            "Without ID, it lists the deployments. With --monitor, the exit code is 0 if the "
            "deployment is successful, and 1 if it is not.");
  }

  Status Check() const {
    if (!monitor || !id.empty()) return {};
    return Error(Code::kInvalidArgument, "--monitor needs the ID of a deployment");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    if (id.empty()) {
      DROVER_ASSIGN(const json list,
                    client->Get("/v1/deployments", {{"namespace", client->SearchedNamespace()}}));
      DROVER_TRY(CheckIsList(list));
      return out->Print(list, DeploymentTable(list, verbose), "No deployments found");
    }
    DROVER_ASSIGN(const std::string found, FindId(client, kDeploymentIds, id));
    if (!monitor) return ShowDeployment(client, out, found, verbose);
    DeploymentFollower follower(client, out->raw() ? nullptr : out, verbose);
    DROVER_ASSIGN(const int code, follower.Follow(found));
    if (out->raw()) DROVER_TRY(out->Print(follower.newest()));
    return code;
  }
};

}  // namespace

Result<int> ShowDeployment(ApiClient* client, Output* out, const std::string& id, bool verbose) {
  DROVER_ASSIGN(const json deployment, client->Get(ApiPath("/v1/deployment", id)));
  DROVER_TRY(CheckIsObject(deployment));
  if (out->raw()) return out->Print(deployment);
  DROVER_ASSIGN(const json allocs, client->Get(ApiPath("/v1/deployment/allocations", id)));
  const WallTime now = WallNow();
  PrintFields(out, {{"ID", TextField(deployment, "ID")},
                    {"Job", TextField(deployment, "JobID")},
                    {"Namespace", TextField(deployment, "Namespace")},
                    {"Version", NumberText(deployment, "JobVersion")},
                    {"Status", StatusCell(TextField(deployment, "Status"))},
                    {"Description", TextField(deployment, "StatusDescription")},
                    {"Created", Ago(NumberField(deployment, "CreateTime"), now)},
                    {"Modified", Ago(NumberField(deployment, "ModifyTime"), now)}});
  PrintPart(out, "Groups", DeploymentGroupTable(deployment));
  PrintPart(out, "Allocations", AllocTable(allocs, verbose));
  return kExitOk;
}

void AddDeploymentStatus(const ClientGroup& deployment) {
  deployment.Add<DeploymentStatusCommand>("status",
                                          "Shows a deployment, and with --monitor how it goes on");
}

}  // namespace drover
