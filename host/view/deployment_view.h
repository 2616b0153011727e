// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/view/table.h"
#include "host/view/terminal.h"

namespace drover {

// Returns DEPLOYMENT, which is an agent's answer, as lines for people: its status, and one line for
// each group.
std::vector<std::string> DeploymentLines(const nlohmann::json& deployment, bool full_ids);
// Returns whether the deployment has ended, so that it does not change any more.
bool DeploymentEnded(const nlohmann::json& deployment);
// Returns whether the deployment waits for somebody who promotes its canaries.
bool WaitsForPromotion(const nlohmann::json& deployment);

// Returns a table of deployments, and a table of the groups of one.
TextTable DeploymentTable(const nlohmann::json& list, bool full_ids);
TextTable DeploymentGroupTable(const nlohmann::json& deployment);

// Shows how a deployment goes on. On a terminal, its lines are redrawn at the bottom. Elsewhere,
// each line is printed when it has changed.
class LiveDeployment {
 public:
  // TERMINAL must outlive this object.
  LiveDeployment(Terminal* terminal, bool full_ids) : terminal_(terminal), full_ids_(full_ids) {}
  LiveDeployment(const LiveDeployment&) = delete;
  LiveDeployment& operator=(const LiveDeployment&) = delete;
  // Prints the last lines for good.
  ~LiveDeployment();

  void Show(const nlohmann::json& deployment);

 private:
  Terminal* const terminal_;
  const bool full_ids_;
  std::vector<std::string> shown_;
};

}  // namespace drover
