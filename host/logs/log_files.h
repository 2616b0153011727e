// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

// The log files of a task: TASK.stdout.N and TASK.stderr.N in one directory. The files are
// rotated, so N increases. Tasks may put anything into the directory. So these functions open a
// file relative to the directory's file descriptor, follow no links, and read only regular files.
namespace drover {

struct LogFile {
  int index = 0;
  std::int64_t size = 0;  // in bytes

  bool operator==(const LogFile&) const = default;
};

// Opens the log directory PATH, such as "alloc/logs", below ROOT. A task may replace any part of
// the path at any moment. So the call fails if a part is a link, leads out of ROOT or is on
// another mount. [any thread]
Result<UniqueFd> OpenLogDirectory(int root, const std::string& path);

// Returns TASK.STREAM.INDEX.
std::string LogFileName(const std::string& task, const std::string& stream, int index);

// Lists the files of one stream, which is "stdout" or "stderr", by increasing index. The list is
// empty if there are none.
Result<std::vector<LogFile>> ListLogFiles(int directory, const std::string& task,
                                          const std::string& stream);

// Opens a log file for reading. Returns kNotFound if the file does not exist. Returns
// kInvalidArgument if it is not a regular file or has further hard links. Through a hard link, a
// task could make the agent read a file that the task itself may not read.
Result<UniqueFd> OpenLogFile(int directory, const std::string& task, const std::string& stream,
                             int index);

struct LogPosition {
  int index = 0;
  std::int64_t offset = 0;

  bool operator==(const LogPosition&) const = default;
};

// Returns a position in the stream. If OFFSET is not negative, the position is OFFSET bytes after
// the beginning of file INDEX. If OFFSET is negative, the position is -OFFSET bytes before the end
// of that file. The position may be in a later or an earlier file, but it is never outside the
// existing data. If INDEX is too high, the last file is used in place of file INDEX. FILES must
// not be empty.
LogPosition ClosestLogPosition(const std::vector<LogFile>& files, int index, std::int64_t offset);

}  // namespace drover
