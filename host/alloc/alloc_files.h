// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"

namespace drover {

// A file or directory, as clients see it.
struct AllocFileInfo {
  std::string name;
  std::int64_t size = 0;  // bytes
  mode_t mode = 0;        // the permission bits and the type of the file
  WallTime modified = 0;

  bool is_directory() const { return S_ISDIR(mode); }
};

// The files in the directory of an allocation, for readers other than its tasks. The tasks may
// change the directory at any moment. So the kernel resolves each path and never leaves the
// directory, and all checks look at the opened file. The methods block. [any thread]
//
// The methods return kNotFound if nothing has the path, and kPermissionDenied if the path leads
// out of the directory. They return kFailedPrecondition if the file is secret or private. They
// return kInvalidArgument if the method does not accept this path or this kind of file.
class AllocFiles {
 public:
  // BASE is the directory of all allocations.
  static Result<AllocFiles> Open(const std::string& base, const std::string& alloc_id);

  // Returns the entries of a directory, sorted by name. Links are listed, not followed.
  Result<std::vector<AllocFileInfo>> List(const std::string& path) const;
  Result<AllocFileInfo> Stat(const std::string& path) const;
  // Opens a regular file for reading. Refuses a file with more than one hard link, since a task
  // can make a hard link to a file that the task cannot read.
  Result<UniqueFd> OpenFile(const std::string& path) const;

  int root() const { return root_.get(); }

 private:
  AllocFiles(UniqueFd root, std::string alloc_id)
      : root_(std::move(root)), id_(std::move(alloc_id)) {}
  Result<UniqueFd> Resolve(const std::string& path) const;
  Status CheckVisible(int fd) const;
  Status CheckReadable(int fd, const std::string& path) const;

  UniqueFd root_;
  std::string id_;
};

}  // namespace drover
