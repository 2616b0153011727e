// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/co.h"
#include "host/base/result.h"
#include "host/task/task_seams.h"

namespace drover {

// The paths of a task's own directories, as the host sees them.
struct TaskDirPaths {
  std::string dir;          // ALLOC_ID/TASK
  std::string local;        // ALLOC_ID/TASK/local
  std::string tmp;          // ALLOC_ID/TASK/tmp
  std::string secrets;      // ALLOC_ID/TASK/secrets; no client can read its files
  std::string private_dir;  // ALLOC_ID/TASK/private, for the agent; no client can read its files
};

// The directory of one allocation:
//   ALLOC_ID/alloc/{logs,tmp,data}            shared by the tasks
//   ALLOC_ID/TASK/{local,tmp,secrets,private} one tree per task
// All methods are for the control thread. Long work runs on another thread.
class AllocDir {
 public:
  virtual ~AllocDir() = default;

  virtual const std::string& path() const = 0;
  std::string shared_path() const { return path() + "/alloc"; }
  std::string log_path() const { return path() + "/alloc/logs"; }
  TaskDirPaths TaskPaths(std::string_view task) const;

  // Makes the shared directories. Directories that exist are kept and get the right modes.
  virtual Co<Status> Build() = 0;
  // Makes the directories of one task, which only the task's user can enter. Also mounts the file
  // systems that belong in these directories. BuildTask may be called any number of times.
  virtual Co<Status> BuildTask(TaskDirRequest request) = 0;
  // Succeeds if Build has completed and the directory still exists.
  virtual Co<Status> CheckBuilt() = 0;
  // Removes the secrets that are in memory. Call DropSecrets when the tasks have ended for good.
  // It may be called any number of times, and succeeds if the allocation directory does not exist.
  virtual Co<Status> DropSecrets() = 0;
  // Unmounts everything in the allocation directory and then removes the directory. A mount that
  // cannot be unmounted stays, and the error names it. Destroy may be called again. It succeeds if
  // the directory does not exist.
  virtual Co<Status> Destroy() = 0;
};

// Checks whether TASK can be the name of a directory. Refuses empty names, names longer than 255
// bytes, ".", "..", "alloc", and names with a slash or a NUL.
Status CheckTaskDirName(std::string_view task);

}  // namespace drover
