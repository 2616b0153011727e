// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/deployment_change.h"

#include <utility>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/cli/deployment_follower.h"
#include "host/cli/exit_code.h"
#include "host/view/json_fields.h"

namespace drover {

using nlohmann::json;

Result<int> ChangeDeployment(ApiClient* client, Output* out, const std::string& id,
                             DeploymentChange change, WaitOptions wait) {
  change.body["DeploymentID"] = id;
  DROVER_ASSIGN(
      const json answer,
      client->Put(ApiPath(std::string("/v1/deployment/") + change.action, id), change.body));
  DROVER_TRY(CheckIsObject(answer));
  if (!out->raw()) {
    out->Line("deployment " + Printable(id) + " is " + change.outcome);
    const auto reverted = answer.find("RevertedJobVersion");
    if (reverted != answer.end() && reverted->is_number_integer()) {
      out->Line("the job goes back to its version " + reverted->dump());
    }
  }
  wait.with_deployment = false;
  DROVER_ASSIGN(const int code, FollowAnswer(client, out, wait, answer));
  if (code != kExitOk || wait.detach || !change.goes_on) return code;
  return DeploymentFollower(client, out->raw() ? nullptr : out, wait.verbose).Follow(id);
}

DeploymentChange PromotionOf(const std::vector<std::string>& groups) {
  DeploymentChange change{.action = "promote", .outcome = "promoted", .goes_on = true};
  if (groups.empty()) {
    change.body["All"] = true;
  } else {
    change.body["Groups"] = groups;
  }
  return change;
}

}  // namespace drover
