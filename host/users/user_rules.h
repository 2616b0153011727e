// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// As whom the operator lets tasks run.
struct UserRules {
  std::vector<std::string> denied;        // names or numbers of users
  std::set<std::string> checked_drivers;  // whose tasks may not run as a denied user
  // The users that the agent gives to tasks without one. A job cannot name them. 0: there are none.
  uid_t dynamic_first = 0;
  uid_t dynamic_last = 0;

  bool IsDynamic(uid_t uid) const {
    return dynamic_last != 0 && uid >= dynamic_first && uid <= dynamic_last;
  }
};

// Returns the user id of the user NAME, nothing if there is no such user, or an error if the user
// database cannot be read. Blocks.
using FindUser = std::function<Result<std::optional<uid_t>>(const std::string& name)>;
Result<std::optional<uid_t>> FindSystemUser(const std::string& name);

// Checks the user of a task of DRIVER. USER is not empty, and is a name, a number, or one of both
// with a group after a colon. What is denied is the user id, so that no other name of a denied user
// and no other form of a number gets past. IN_IMAGE: the names are those of an image, so FIND, the
// users of this machine, is not asked. Blocks as FIND does.
Status CheckUser(const UserRules& rules, const std::string& driver, const std::string& user,
                 bool in_image, const FindUser& find);

}  // namespace drover
