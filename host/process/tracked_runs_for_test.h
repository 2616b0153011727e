// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "host/base/ids.h"

namespace drover {

// The runs that have a cgroup below CGROUP_ROOT, or a note of one elsewhere in RUN_DIR, whichever
// agent started them. Sorted.
inline std::vector<RunId> TrackedRuns(const std::string& cgroup_root, const std::string& run_dir) {
  namespace fs = std::filesystem;
  std::set<RunId> runs;
  const auto add = [&runs](const fs::path& cgroup) {
    if (Result<RunId> run = RunId::Parse(cgroup.filename().string()); run.ok()) runs.insert(*run);
  };
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(cgroup_root, error)) {
    if (entry.is_directory(error)) add(entry.path());
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(run_dir, error)) {
    if (entry.path().extension() == ".cgroup") add(fs::read_symlink(entry.path(), error));
  }
  return {runs.begin(), runs.end()};
}

}  // namespace drover
