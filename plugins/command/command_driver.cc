// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "command_driver.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "env_filter.h"

namespace command {

void Invalid(const std::string& why) {
  throw drover::Error(drover::Code::kInvalidArgument, "failed driver config validation: " + why);
}

int OomScore(const drover::Json& task_config) {
  std::int64_t score = task_config.Int("oom_score_adj");
  if (score < 0) Invalid("oom_score_adj must not be negative");
  if (score > 1000) Invalid("oom_score_adj must not be above 1000");
  return static_cast<int>(score);
}

void DropVariables(const std::vector<std::string>& patterns, drover::StringMap* env) {
  for (auto at = env->begin(); at != env->end();) {
    bool denied = false;
    for (const std::string& pattern : patterns) denied = denied || Matches(pattern, at->first);
    at = denied ? env->erase(at) : std::next(at);
  }
}

Denied Denied::Read(const drover::Json& config) {
  Denied out;
  out.uids = IdRanges::Parse(config.String("denied_host_uids"), "/denied_host_uids");
  out.gids = IdRanges::Parse(config.String("denied_host_gids"), "/denied_host_gids");
  out.dynamic = IdRanges::Parse(config.String("dynamic_users"), "/dynamic_users");
  out.variables = config.Strings("denied_envvars");
  return out;
}

TaskUser Denied::CheckUser(const std::string& user, bool root) const {
  TaskUser ids = LookUpUser(user, dynamic);
  // Check the ids and not the name: "root", "0" and other users may have the id 0.
  const bool is_root =
      ids.uid == 0 || std::find(ids.gids.begin(), ids.gids.end(), gid_t{0}) != ids.gids.end();
  if (is_root && !root) {
    throw drover::Error(drover::Code::kPermissionDenied,
                        "running as user \"" + user + "\" is disallowed: it has the " +
                            (ids.uid == 0 ? "uid" : "gid") +
                            " 0; the operator can allow it by allow_root of the driver");
  }
  if (uids.Contains(ids.uid)) {
    throw drover::Error(drover::Code::kPermissionDenied,
                        "running as uid " + std::to_string(ids.uid) + " is disallowed");
  }
  for (gid_t gid : ids.gids) {
    if (!gids.Contains(gid)) continue;
    throw drover::Error(drover::Code::kPermissionDenied,
                        "running as gid " + std::to_string(gid) + " is disallowed");
  }
  return ids;
}

}  // namespace command
