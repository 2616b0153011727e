// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// The data directory of an agent. The directory is locked for as long as the object lives.
class DataDir {
 public:
  // Makes the directory PATH, unless it exists, and locks it. If PATH is empty, Make makes a new
  // directory below $TMPDIR. Returns kFailedPrecondition if another agent has locked the
  // directory, or if "alloc" in the directory is a file or a link. Any other error is a mistake in
  // PATH.
  static Result<DataDir> Make(const std::string& path);

  std::string alloc_dir() const { return path_ + "/alloc"; }
  std::string state_dir() const { return path_ + "/state"; }
  // The directory of the key that seals the secrets in the state. A backup of the state without it
  // reveals no secret.
  std::string key_dir() const { return path_ + "/keys"; }
  // The directory of the notes by which networks of allocations are removed.
  std::string network_dir() const { return path_ + "/networks"; }
  // The directories that plugins have of their own.
  std::string plugin_data_dir() const { return path_ + "/plugin_data"; }
  std::string volumes_dir() const { return path_ + "/host_volumes"; }
  std::string volume_plugin_dir() const { return path_ + "/host_volume_plugins"; }
  // Removes the directory if Make made it below $TMPDIR, unless allocations are left in it.
  void RemoveIfMade() const;

 private:
  std::string path_;
  bool made_ = false;
  UniqueFd lock_;
};

// Returns PATH without symbolic links. PATH must be an existing directory for allocations. Only
// the agent's user, its group and root may have the right to write to it and to the directories
// above it.
Result<std::string> CheckAllocDir(const std::string& path);

}  // namespace drover
