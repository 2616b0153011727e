// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/task/task_hook.h"

// Files below the directory of a task, or below the one that the tasks of its allocation share. The
// task may change everything there at any moment. So each step starts at a descriptor, and nothing
// outside is ever read or written.
namespace drover {

// A place below one of these directories.
struct TaskPlace {
  std::string root;  // the directory on the host
  std::string path;  // relative to it, without ".", ".." and empty parts
};

// Returns the place of PATH, in which all ${...} are replaced by paths of the host. A relative PATH
// begins at the task's directory, and so does an absolute one that is not below the directories of
// the task. Returns an error if PATH leads elsewhere.
Result<TaskPlace> PlaceInTask(const TaskLocation& location, const std::string& path);

struct RenderedFileOwner {
  unsigned mode = 0644;
  int uid = -1;  // -1: the owner of the root directory
  int gid = -1;
};

// Writes CONTENT to the file at PLACE. Readers see the old content or the new one. Missing
// directories are made, for the owner of the root directory. No link is followed. Blocks.
// [any thread]
Status WriteRenderedFile(const TaskPlace& place, const RenderedFileOwner& owner,
                         std::string_view content);

// Removes what a WriteRenderedFile to PLACE that has not ended has left. Blocks. [any thread]
void RemoveUnfinishedFile(const TaskPlace& place);

// Returns the content of the regular file at PLACE. Follows links as long as they stay below the
// root. Refuses a file with a second name, which may be one of the host. Returns kResourceExhausted
// if the file has more than MOST bytes. Blocks. [any thread]
Result<std::string> ReadFileOfTask(const TaskPlace& place, std::size_t most);

}  // namespace drover
