// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

// The rotated output of a task: files TASK.stdout.N and TASK.stderr.N in one directory, with rising
// N. Tasks may put anything into the directory. So files are opened below its descriptor, without
// following links, and only regular files are read.
namespace drover {

struct LogFile {
  int index = 0;
  std::int64_t size = 0;  // bytes

  bool operator==(const LogFile&) const = default;
};

// Opens the log directory PATH ("alloc/logs") below ROOT. A task may replace any part of the path
// at any moment. So no part may be a link, lead out of ROOT or cross to another mount. [any thread]
Result<UniqueFd> OpenLogDirectory(int root, const std::string& path);

// TASK.STREAM.INDEX
std::string LogFileName(const std::string& task, const std::string& stream, int index);

// The files of one stream ("stdout" or "stderr"), by rising index; empty when there is none.
Result<std::vector<LogFile>> ListLogFiles(int directory, const std::string& task,
                                          const std::string& stream);

// kNotFound if the file does not exist, or no longer. kInvalidArgument if it is not a regular file,
// or has a second name: a task may have linked a file that it may not read itself.
Result<UniqueFd> OpenLogFile(int directory, const std::string& task, const std::string& stream,
                             int index);

struct LogPosition {
  int index = 0;
  std::int64_t offset = 0;

  bool operator==(const LogPosition&) const = default;
};

// Returns the position OFFSET bytes after the beginning of file INDEX or, if OFFSET is negative,
// before its end. It may be in a later or earlier file, and is never outside the existing data. An
// index that is too high means the last file. FILES must not be empty.
LogPosition ClosestLogPosition(const std::vector<LogFile>& files, int index, std::int64_t offset);

}  // namespace drover
