// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"
#include "host/view/scaling_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct ScalingPolicyListCommand {
  std::string job;
  std::string type;
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_option("--job", job, "Only the policies of this job");
    command->add_option("--type", type,
                        "Only the policies whose type begins so: horizontal, vertical, "
                        "vertical_cpu or vertical_mem");
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    Query query = {{"namespace", client->SearchedNamespace()}};
    if (!job.empty()) query.emplace_back("job", job);
    if (!type.empty()) query.emplace_back("type", type);
    DROVER_ASSIGN(const json policies, client->Get("/v1/scaling/policies", query));
    DROVER_TRY(CheckIsList(policies));
    TextTable table({"ID", "Enabled", "Type", "Target"});
    for (const json& one : policies) {
      table.Add({ShownId(TextField(one, "ID"), verbose), FlagField(one, "Enabled") ? "yes" : "no",
                 TextField(one, "Type"), ScalingTarget(one)});
    }
    return out->Print(policies, table, "No policies found");
  }
};

}  // namespace

void AddScalingPolicyList(const ClientGroup& policy) {
  policy.Add<ScalingPolicyListCommand>("list", "Lists the scaling policies of jobs");
}

}  // namespace drover
