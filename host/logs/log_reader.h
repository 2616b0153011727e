// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "host/base/live_count.h"
#include "host/base/unique_fd.h"
#include "host/logs/log_files.h"

namespace drover {

enum class LogEvent {
  kNone,
  kTruncated,  // the file became shorter or was replaced, and reading continues at its beginning
};

// A part of a stream.
struct LogChunk {
  std::string data;
  int index = 0;            // index of the file that contains the data
  std::int64_t offset = 0;  // offset in that file of the byte after the data
  LogEvent event = LogEvent::kNone;
  std::string file;  // name of that file
};

// The position at which reading begins.
struct LogStart {
  // If false, OFFSET counts bytes from the beginning of the oldest file. If true, it counts
  // backward from the end of the last file, across all files.
  bool from_end = false;
  std::int64_t offset = 0;
};

// Reads one stream of a task through its rotated files. Reading blocks on the disk. Only one
// thread may use a reader at a time, usually a thread of the worker pool. Once the reader has
// opened a file, it reads that file to the end, even if the name of the file is removed before.
class LogReader : public LiveCount<LogReader> {
 public:
  // DIRECTORY is either a file descriptor of the log directory, or its path. The reader opens a
  // path as soon as it exists.
  LogReader(UniqueFd directory, std::string task, std::string stream, LogStart start);
  LogReader(std::string directory, std::string task, std::string stream, LogStart start);

  struct Step {
    std::optional<LogChunk> chunk;
    // If true, another read may return data at once. If false, the reader is at the end of the
    // present data.
    bool more = false;
    // True if the reader has reached the end that the stream had when reading began.
    bool past_first_end = false;
    // True if the directory has been removed, so no more data will come.
    bool gone = false;
  };
  // Reads at most LIMIT bytes of the stream.
  Step Read(std::size_t limit);

  // Returns the file descriptor of the directory, for a watch. Returns -1 until the directory is
  // open.
  int directory() const { return directory_.get(); }

 private:
  bool OpenDirectory();
  void Begin(const std::vector<LogFile>& files);
  // Opens file INDEX and sets the position to OFFSET. If that file does not exist, file_ is empty
  // afterwards.
  void Open(int index, std::int64_t offset);
  // Must be called at the end of the open file. Finds more data in it, or opens the next file.
  // Returns true if reading can continue.
  bool Advance(Step* step);
  bool ReadData(std::size_t limit, Step* step);

  const std::string path_;
  const std::string task_;
  const std::string stream_;
  const LogStart start_;
  UniqueFd directory_;
  UniqueFd file_;
  LogPosition at_;
  bool begun_ = false;  // true after the first file was found
  // True if no file existed when reading began. The end of the stream at that time was then the
  // beginning of the stream.
  bool empty_ = false;
  LogPosition first_end_;
};

}  // namespace drover
