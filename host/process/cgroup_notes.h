// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "host/base/ids.h"
#include "host/base/result.h"

namespace drover {

// Records the path of each run's cgroup as a symbolic link in the run directory, in which only the
// agent can write. A link is made before its cgroup and removed after the cgroup. So the next agent
// finds the cgroup even if this agent was killed, or if the next agent makes its own cgroups below
// another root. Control thread only.
class CgroupNotes {
 public:
  // DIRECTORY is borrowed. If it is -1, no links are made. The names of the links end in SUFFIX.
  // The shim also removes those that end in ".cgroup" (shim/record.c).
  explicit CgroupNotes(int directory, std::string suffix = ".cgroup")
      : directory_(directory), suffix_(std::move(suffix)) {}

  bool are_kept() const { return directory_ >= 0; }
  int directory() const { return directory_; }
  // PATH is the path of the run's cgroup. The last part of PATH is the id of the run.
  Status Write(const RunId& run, const std::string& path) const;
  std::optional<std::string> Find(const RunId& run) const;
  void Remove(const RunId& run) const;

 private:
  std::string NameOf(const RunId& run) const { return run.Short() + suffix_; }

  const int directory_;
  const std::string suffix_;
};

}  // namespace drover
