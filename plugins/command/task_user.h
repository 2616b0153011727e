// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "id_ranges.h"

namespace command {

struct TaskUser {
  uid_t uid = 0;
  std::vector<gid_t> gids;  // all groups of the user
};

// Returns the ids that a task of USER gets. USER is the name or the number of a user in the user
// database, or one of DYNAMIC, the numbers that the agent gives to tasks and that are no users.
// An empty USER means the agent's own user. Throws drover::Error. May block.
TaskUser LookUpUser(const std::string& user, const IdRanges& dynamic);

}  // namespace command
