// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/process/isolation.h"

namespace drover {

// A directory or file of the host that is mounted in the root of a task.
struct RootVolume {
  std::string host_path;
  std::string task_path;
  bool read_only = false;
  std::string propagation;  // empty means "private"
  bool no_links = false;    // a symbolic link in host_path is an error
};

// A device node of the host that is mounted in the root of a task.
struct RootDevice {
  std::string host_path;
  std::string task_path;   // empty: the path is HOST_PATH
  bool read_only = false;  // the value true is refused, because it cannot be enforced
};

struct TaskRootOptions {
  // The parts of the host that are mounted read-only in the root. Each element is a host path and
  // a path in the root. Paths that do not exist on the host are left out. If empty,
  // DefaultRootPaths() is used.
  std::vector<std::pair<std::string, std::string>> host_paths;
  std::string alloc_dir;  // mounted at /alloc; shared by the tasks of the allocation
  std::string log_dir;    // mounted at /alloc/logs, read-only
  std::string task_dir;   // has the directories local, secrets and tmp
  std::vector<RootVolume> volumes;
  std::vector<RootDevice> devices;
  bool pivot = true;
};

// Returns /bin, /etc, /lib, /lib32, /lib64, /run/resolvconf, /run/systemd/resolve, /sbin and /usr.
const std::vector<std::pair<std::string, std::string>>& DefaultRootPaths();

// Opens all parts of the root of a task. Follows no symbolic link below the directories of the
// allocation, since other tasks may have changed them. Blocks as long as the host's file systems
// do. Needs root.
Result<RootSpec> OpenTaskRoot(const TaskRootOptions& options);

}  // namespace drover
