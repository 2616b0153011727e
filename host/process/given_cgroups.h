// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

// Cgroups that the operator has made and that a job names. The functions open these cgroups and
// never change or remove them. A path is relative to the mount point of its hierarchy or begins
// with the mount point. It cannot lead out of the hierarchy. MOUNTS is the text of
// /proc/self/mounts. Errors name controller and path.
namespace drover {

// Opens a version 2 cgroup.
Result<UniqueFd> OpenGivenCgroup(const std::string& mounts, const std::string& path);

struct GivenCgroup {
  UniqueFd directory;
  std::string name;       // for messages: "apps/web of the controller pids"
  std::string hierarchy;  // the mount point of the hierarchy
};
// Opens version 1 cgroups. Each element of CGROUPS is a controller and a path. Controllers of one
// hierarchy must have the same path. If FREEZER_IS_TAKEN is true, the agent tracks runs with the
// freezer, so a job must not name a cgroup of the freezer.
Result<std::vector<GivenCgroup>> OpenGivenCgroups(
    const std::string& mounts, const std::vector<std::pair<std::string, std::string>>& cgroups,
    bool freezer_is_taken);

}  // namespace drover
