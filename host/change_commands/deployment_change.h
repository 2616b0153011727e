// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/cli/eval_follower.h"
#include "host/cli/output.h"
#include "host/client/api_client.h"

namespace drover {

// A change of a deployment that a client requests.
struct DeploymentChange {
  const char* action;   // the last part of its path in the API
  const char* outcome;  // what the deployment is afterwards, such as "paused"
  nlohmann::json body = nlohmann::json::object();
  bool goes_on = false;  // whether the deployment goes on, so that there is an end to wait for
};

// Requests CHANGE of the deployment ID and waits for what comes of it, unless WAIT says otherwise.
// Returns the exit code.
Result<int> ChangeDeployment(ApiClient* client, Output* out, const std::string& id,
                             DeploymentChange change, WaitOptions wait);

// Returns the change that promotes the canaries of GROUPS; of all groups if there are none.
DeploymentChange PromotionOf(const std::vector<std::string>& groups);

// Prints the deployment ID. Returns the exit code.
Result<int> ShowDeployment(ApiClient* client, Output* out, const std::string& id, bool verbose);

}  // namespace drover
