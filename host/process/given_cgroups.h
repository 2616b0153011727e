// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

// Cgroups that the operator has made and a job names. They are opened, never changed or removed. A
// path is relative to the mount point of its hierarchy or begins with it, and cannot lead out of
// it. MOUNTS is the text of /proc/self/mounts. Errors name controller and path.
namespace drover {

// Opens a version 2 cgroup.
Result<UniqueFd> OpenGivenCgroup(const std::string& mounts, const std::string& path);

struct GivenCgroup {
  UniqueFd directory;
  std::string name;       // "apps/web of the controller pids"
  std::string hierarchy;  // the mount point
};
// Opens version 1 cgroups, each a controller and a path. Controllers of one hierarchy must name the
// same cgroup. FREEZER_IS_TAKEN: the freezer tracks runs, so runs cannot be moved in it.
Result<std::vector<GivenCgroup>> OpenGivenCgroups(
    const std::string& mounts, const std::vector<std::pair<std::string, std::string>>& cgroups,
    bool freezer_is_taken);

}  // namespace drover
