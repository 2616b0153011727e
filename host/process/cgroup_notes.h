// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/base/ids.h"
#include "host/base/result.h"

namespace drover {

// Records where the cgroups of runs are, as symbolic links in the run directory, which only the
// agent can write. A link is made before its cgroup and removed after it. So the next agent finds
// the cgroup, even if this one was killed, and even if its own cgroups are elsewhere. Control
// thread.
class CgroupNotes {
 public:
  // DIRECTORY is borrowed; -1: nothing is noted.
  explicit CgroupNotes(int directory) : directory_(directory) {}

  bool are_kept() const { return directory_ >= 0; }
  int directory() const { return directory_; }
  // PATH is the path of the run's cgroup; its last part is the run's id.
  Status Write(const RunId& run, const std::string& path) const;
  std::optional<std::string> Find(const RunId& run) const;
  void Remove(const RunId& run) const;

 private:
  const int directory_;
};

}  // namespace drover
