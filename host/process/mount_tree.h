// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// True if all the newer mount calls work, which shim/mount_calls.h names. Tried once, for this
// process and its shims.
bool MountCallsExist();

// A mount that a task will see at TARGET: a copy that belongs to no namespace yet and goes when it
// is closed. Where the calls for that are missing (Linux 5.12 has them; filters of old container
// runtimes refuse them), it is the place itself, which the shim mounts by its name.
struct MountTree {
  UniqueFd tree;
  std::string target;  // absolute, in the task's root
  bool is_file = false;
  bool is_place = false;
  bool is_recursive = false;
  bool follows = false;          // later mounts of the host below its source appear in it
  std::uint32_t attributes = 0;  // MOUNT_ATTR_... for it and all mounts below it
};

struct MountOptions {
  bool read_only = false;
  bool no_exec = false;
  bool devices = false;    // device nodes below it work
  bool recursive = false;  // includes the mounts below it; the options then hold there, too
  std::string propagation = "private";  // "private", "host-to-task" or "bidirectional"
};

// Opens PATH, relative to DIRECTORY (a descriptor, or AT_FDCWD), as a mount for TARGET. Set-user-id
// bits of files below it have no effect. kNotFound: there is nothing at PATH.
Result<MountTree> OpenMountTree(int directory, const std::string& path, std::string target,
                                const MountOptions& options);

// The same for a path below DIRECTORY that a task may have changed: no symbolic link is followed.
Result<MountTree> OpenMountTreeBeneath(int directory, const std::string& path, std::string target,
                                       const MountOptions& options);

}  // namespace drover
