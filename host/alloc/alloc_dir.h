// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/co.h"
#include "host/base/result.h"
#include "host/task/task_seams.h"

namespace drover {

// The host's paths of a task's own directories.
struct TaskDirPaths {
  std::string dir;          // TASK
  std::string local;        // TASK/local
  std::string tmp;          // TASK/tmp
  std::string secrets;      // TASK/secrets: the task's, never shown by the file API
  std::string private_dir;  // TASK/private: the agent's, never shown to anybody
};

// The directory of one allocation:
//   ALLOC_ID/alloc/{logs,tmp,data}            shared by the tasks
//   ALLOC_ID/TASK/{local,tmp,secrets,private} one tree per task
// All methods are for the control thread; long work runs on another.
class AllocDir {
 public:
  virtual ~AllocDir() = default;

  virtual const std::string& path() const = 0;
  std::string shared_path() const { return path() + "/alloc"; }
  std::string log_path() const { return path() + "/alloc/logs"; }
  TaskDirPaths TaskPaths(std::string_view task) const;

  // Makes the shared directories. Existing ones are kept and get the right modes.
  virtual Co<Status> Build() = 0;
  // Makes one task's directories, which only its user can enter, and mounts the file systems that
  // belong there. May be called any number of times.
  virtual Co<Status> BuildTask(TaskDirRequest request) = 0;
  // Succeeds if Build has been done and the directory is still there.
  virtual Co<Status> CheckBuilt() = 0;
  // Removes the secrets in memory once the tasks have ended for good. May be called any number of
  // times; without a directory it succeeds.
  virtual Co<Status> DropSecrets() = 0;
  // Unmounts everything, then removes it. A mount that cannot be unmounted is kept and named in
  // the error, and the call may be repeated. Without a directory it succeeds.
  virtual Co<Status> Destroy() = 0;
};

// Task names become names of directories. Refuses empty and very long names, ".", "..", "alloc",
// and names with a slash or a NUL.
Status CheckTaskDirName(std::string_view task);

}  // namespace drover
