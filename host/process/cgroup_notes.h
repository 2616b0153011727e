// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/ids.h"
#include "host/base/result.h"

namespace drover {

// Where the cgroups of runs are: links in the run directory, which only the agent can write, each
// made before its cgroup and removed after it. So whoever clears up finds the cgroup, however the
// agent ended, also one that has its own cgroups elsewhere. Control thread.
class CgroupNotes {
 public:
  // DIRECTORY is borrowed; -1: nothing is noted.
  explicit CgroupNotes(int directory) : directory_(directory) {}

  bool are_kept() const { return directory_ >= 0; }
  // PATH is that of the run's cgroup, which has the run's name.
  Status Write(const RunId& run, const std::string& path) const;
  std::optional<std::string> Find(const RunId& run) const;
  void Remove(const RunId& run) const;
  std::vector<RunId> Runs() const;

 private:
  const int directory_;
};

}  // namespace drover
