// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/process/isolation.h"

namespace drover {

// A directory or file of the host that a task gets.
struct RootVolume {
  std::string host_path;
  std::string task_path;
  bool read_only = false;
  std::string propagation;  // empty: private
};

// A device node of the host that a task gets.
struct RootDevice {
  std::string host_path;
  std::string task_path;   // empty: the same
  bool read_only = false;  // is refused: it cannot be enforced
};

struct TaskRootOptions {
  // The parts of the host that are in the root, read-only: pairs of a host path and a path in the
  // root. Paths that do not exist on the host are left out. Empty: DefaultRootPaths().
  std::vector<std::pair<std::string, std::string>> host_paths;
  std::string alloc_dir;  // shared by the tasks of the allocation: /alloc
  std::string log_dir;    // below it: /alloc/logs, read-only
  std::string task_dir;   // has local, secrets and tmp
  std::vector<RootVolume> volumes;
  std::vector<RootDevice> devices;
  bool pivot = true;
};

// /bin, /etc, /lib, /lib32, /lib64, /run/resolvconf, /run/systemd/resolve, /sbin, /usr.
const std::vector<std::pair<std::string, std::string>>& DefaultRootPaths();

// Opens all parts of the root of a task. Below the directories of the allocation no symbolic link
// is followed, since other tasks may have changed them. Blocks as long as the host's file systems
// do. Needs root.
Result<RootSpec> OpenTaskRoot(const TaskRootOptions& options);

}  // namespace drover
