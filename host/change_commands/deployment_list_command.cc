// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/change_commands/change_commands.h"
#include "host/change_commands/deployment_change.h"
#include "host/cli/answer_check.h"
#include "host/view/deployment_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct DeploymentListCommand {
  std::string filter;
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_option("--filter", filter,
                        "Only those for which this is true: 'Status == \"running\"'");
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    Query query = {{"namespace", client->SearchedNamespace()}};
    if (!filter.empty()) query.emplace_back("filter", filter);
    DROVER_ASSIGN(const json list, client->Get("/v1/deployments", query));
    DROVER_TRY(CheckIsList(list));
    return out->Print(list, DeploymentTable(list, verbose), "No deployments found");
  }
};

}  // namespace

void AddDeploymentList(const ClientGroup& deployment) {
  deployment.Add<DeploymentListCommand>("list", "Lists the deployments");
}

}  // namespace drover
