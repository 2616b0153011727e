// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Returns true if all newer system calls for mounts work; shim/mount_calls.h names these calls.
// The first call of this function tests them. The result also holds for the shims.
bool MountCallsExist();

// A mount that a task will see at TARGET. TREE is a copy of the mount. The copy is attached to no
// mount namespace yet and disappears when TREE is closed. The copy needs system calls of Linux
// 5.12, which filters of old container runtimes refuse. If these system calls are missing, TREE is
// the original file or directory, which the shim mounts by its name.
struct MountTree {
  UniqueFd tree;
  std::string target;  // an absolute path in the task's root
  bool is_file = false;
  bool is_place = false;
  bool is_recursive = false;
  bool follows = false;          // also shows mounts that the host makes later below the source
  std::uint32_t attributes = 0;  // MOUNT_ATTR_... for this mount and all mounts below it
};

struct MountOptions {
  bool read_only = false;
  bool no_exec = false;
  bool devices = false;    // device nodes below the mount can be used
  bool recursive = false;  // includes the mounts below the source, with the same options
  std::string propagation = "private";  // or "host-to-task" or "bidirectional"
  bool no_links = false;  // a symbolic link in the path is an error; see OpenMountTree
};

// Opens PATH, relative to DIRECTORY (a descriptor or AT_FDCWD), as a mount for TARGET. Set-user-id
// bits of files below PATH have no effect in the task. The error is kNotFound if PATH does not
// exist.
Result<MountTree> OpenMountTree(int directory, const std::string& path, std::string target,
                                const MountOptions& options);

// Opens PATH below DIRECTORY as a mount for TARGET. Follows no symbolic link, because a task may
// have replaced a part of PATH by a link.
Result<MountTree> OpenMountTreeBeneath(int directory, const std::string& path, std::string target,
                                       const MountOptions& options);

}  // namespace drover
