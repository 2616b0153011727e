// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/base/result.h"
#include "host/client/api_client.h"
#include "host/view/terminal.h"

namespace drover {

// Follows a deployment to its end.
class DeploymentFollower {
 public:
  // The pointers must outlive this object. If TERMINAL is null, this object prints nothing.
  DeploymentFollower(ApiClient* client, Terminal* terminal, bool full_ids)
      : client_(client), terminal_(terminal), full_ids_(full_ids) {}

  // Shows the deployment ID and its allocations until it has ended. If it fails and its job goes
  // back to an earlier version, follows that deployment, too. Returns the exit code: kExitOk only
  // if the deployment ID itself is successful.
  Result<int> Follow(std::string id);

  // Returns the newest answer of the agent.
  const nlohmann::json& newest() const { return newest_; }

 private:
  Status FollowOne(const std::string& id);
  // Returns the id of the deployment with which the job goes back; empty if there is none.
  std::string NextOne(const std::string& id);
  // Sends a GET, and on a terminal sends it again after an error, for a while.
  Result<nlohmann::json> Get(const std::string& path, const Query& query, std::uint64_t* index);
  void NoteAllocs(const nlohmann::json& stubs);
  void Say(const std::string& line);

  ApiClient* const client_;
  Terminal* const terminal_;
  const bool full_ids_;
  nlohmann::json newest_;
  struct Seen {
    std::string status;
    std::string health;
  };
  std::map<std::string, Seen> seen_;  // by the id of the allocation
};

}  // namespace drover
