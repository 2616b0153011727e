// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/change_commands/deployment_change.h"
#include "host/cli/id_lookup.h"
#include "host/cli/record_search.h"
#include "host/commands/commands.h"
#include "host/commands/record_status.h"

namespace drover {
namespace {

struct StatusCommand {
  std::string id;
  bool verbose = false;
  ClientOptions client;
  AnswerForm form;

  void Declare(CLI::App* command) {
    AddId(command, &id, false);
    AddVerbose(command, &verbose);
    AddClientOptions(command, &client);
    form.Declare(command);
  }

  Result<int> Run(ApiClient* agent, Output* out) const {
    if (id.empty()) return ListJobs(agent, out, verbose);
    DROVER_ASSIGN(const FoundRecord found, FindRecord(agent, id));
    if (found.kind == "jobs") {
      DROVER_ASSIGN(const JobName job, FindJob(agent, found.id));
      return ShowJob(agent, out, job, verbose);
    }
    if (found.kind == "allocs") return ShowAlloc(agent, out, found.id, verbose);
    if (found.kind == "evals") return ShowEval(agent, out, found.id, verbose);
    if (found.kind == "nodes") return ShowNode(agent, out, found.id, verbose);
    if (found.kind == "deployment") return ShowDeployment(agent, out, found.id, verbose);
    if (found.kind == "scaling_policy") return ShowScalingPolicy(agent, out, found.id, verbose);
    if (found.kind == "namespaces") {
      DROVER_ASSIGN(const nlohmann::json record, FindNamespace(agent, found.id));
      return ShowNamespace(out, record);
    }
    return Error(Code::kUnimplemented, "\"" + found.id + "\" is one of the " + found.kind +
                                           ", which this command does not show");
  }
};

}  // namespace

void AddStatus(const CommandGroup& drover) {
  AddClientCommand<StatusCommand>(
      drover, "status",
      "Shows the job, allocation, evaluation, deployment, node, scaling policy or namespace of an "
      "id");
}

}  // namespace drover
