// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Are all the newer calls for mounts there, those that shim/mount_calls.h names? Asks once, for
// this process and its shims.
bool MountCallsExist();

// What a task will see at TARGET: a copy of a mount that belongs to no namespace yet, and that is
// undone by closing it. Where the calls for that are missing (Linux 5.12 has them; filters of old
// container runtimes do not), the place itself, which the shim mounts by its name.
struct MountTree {
  UniqueFd tree;
  std::string target;  // absolute, in the task's root
  bool is_file = false;
  bool is_place = false;
  bool is_recursive = false;
  bool follows = false;          // what the host mounts below its source comes to it
  std::uint32_t attributes = 0;  // MOUNT_ATTR_... that it and all below it are to have
};

struct MountOptions {
  bool read_only = false;
  bool no_exec = false;
  bool devices = false;    // device nodes below it work
  bool recursive = false;  // with what is mounted below it; the options then hold there, too
  std::string propagation = "private";  // "private", "host-to-task" or "bidirectional"
};

// Opens what is at PATH relative to DIRECTORY (a descriptor, or AT_FDCWD) as a mount for TARGET.
// Files with set-user-id bits do nothing below it. kNotFound: there is nothing at PATH.
Result<MountTree> OpenMountTree(int directory, const std::string& path, std::string target,
                                const MountOptions& options);

// The same for a path below DIRECTORY that a task may have changed: no symbolic link is followed.
Result<MountTree> OpenMountTreeBeneath(int directory, const std::string& path, std::string target,
                                       const MountOptions& options);

}  // namespace drover
