// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "config/plugin_config.h"
#include "config/task_options.h"
#include "drover/process.hpp"

// Paths of the host that a job names. The task, and other tasks of its allocation, may change what
// lies in these directories at any moment, so nothing here follows a symbolic link below them.
namespace drover_docker {

// The directories of an allocation on the host.
struct TaskPlaces {
  std::string task_dir;   // relative paths of a job begin here
  std::string alloc_dir;  // shared by the tasks of the allocation
};

// A path below one of the directories of an allocation.
struct OwnPath {
  std::string root;  // the task's directory or the shared one
  std::string rest;  // relative to ROOT, without "." and ".."; empty for ROOT itself
  std::string Text() const { return rest.empty() ? root : root + "/" + rest; }
};

// Joins the parts of PATH without "." and with ".." resolved, without looking at any file. Returns
// nothing if a relative path leaves its start, or if an absolute path leaves "/".
std::optional<std::string> Normal(const std::string& path);

// Returns the place of SOURCE in the allocation, or nothing if it is elsewhere. SOURCE is absolute,
// or relative to the task's directory; "../alloc/x" is a path of the shared directory.
std::optional<OwnPath> FindOwn(const TaskPlaces& places, const std::string& source);

// Opens PATH below its root, without following any link. With MAKE, makes the missing directories.
// They have mode 0777 and the umask, as the container's user is not known here. Throws
// drover::Error, which names WHERE. The descriptor is of O_PATH, or of a file open for reading.
drover::Fd OpenOwn(const std::string& where, const OwnPath& path, bool make, bool readable);

// Returns the path on the host for a bind mount, for the engine. Checks the operator's rules and
// the links. Throws drover::Error, which names the mount.
std::string BindSource(const Settings& settings, const TaskPlaces& places,
                       const MountOption& mount);

}  // namespace drover_docker
