// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/co.h"
#include "host/base/result.h"
#include "host/task/task_seams.h"

namespace drover {

// Where a task's own directories are on the host.
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
// All methods are for the control thread; what may take long happens on another.
class AllocDir {
 public:
  virtual ~AllocDir() = default;

  virtual const std::string& path() const = 0;
  std::string shared_path() const { return path() + "/alloc"; }
  std::string log_path() const { return path() + "/alloc/logs"; }
  std::string data_path() const { return path() + "/alloc/data"; }
  TaskDirPaths TaskPaths(std::string_view task) const;

  // Makes the shared directories; what is there already is kept, and its mode is put right.
  virtual Co<Status> Build() = 0;
  // Makes one task's directories, which only its user can enter, and mounts what is to be mounted
  // there. As often as one likes.
  virtual Co<Status> BuildTask(TaskDirRequest request) = 0;
  // Whether Build has been done and the directory is still there.
  virtual Co<Status> CheckBuilt() = 0;
  // Of an allocation whose tasks have ended for good: takes away the secrets that are in memory. As
  // often as one likes; without a directory it succeeds.
  virtual Co<Status> DropSecrets() = 0;
  // Unmounts, then removes all of it. What cannot be unmounted is kept and named in the error, and
  // the call may be repeated. Without a directory it succeeds.
  virtual Co<Status> Destroy() = 0;
};

// Task names become names of directories: empty, ".", "..", "alloc" and whatever holds a slash or a
// NUL cannot.
Status CheckTaskDirName(std::string_view task);

}  // namespace drover
