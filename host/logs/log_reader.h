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
  kTruncated,  // the file was cut or replaced: reading continues at its beginning
};

// A piece of a stream.
struct LogChunk {
  std::string data;
  int index = 0;            // of the file it is from
  std::int64_t offset = 0;  // in that file, after the data
  LogEvent event = LogEvent::kNone;
  std::string file;  // the name of the file
};

// The place where reading begins.
struct LogStart {
  // OFFSET counts from the beginning of the oldest file. FROM_END: it counts backwards from the
  // end, over all files.
  bool from_end = false;
  std::int64_t offset = 0;
};

// Reads one stream of a task through its rotated files. It blocks on the disk, and only one thread
// may use it at a time, usually one of the worker pool. A file that it has opened is read to its
// end, even if it is rotated away meanwhile.
class LogReader : public LiveCount<LogReader> {
 public:
  // DIRECTORY is a descriptor of the log directory, or its path, which is opened as soon as it
  // exists.
  LogReader(UniqueFd directory, std::string task, std::string stream, LogStart start);
  LogReader(std::string directory, std::string task, std::string stream, LogStart start);

  struct Step {
    std::optional<LogChunk> chunk;
    // There may be more to read at once. If false, the end of the present data has been reached.
    bool more = false;
    // Reading has reached or passed the end as it was at the beginning.
    bool past_first_end = false;
    // The directory has been removed: no data will ever follow.
    bool gone = false;
  };
  // Reads once: at most LIMIT bytes.
  Step Read(std::size_t limit);

  // For a watch on the directory; -1 until it could be opened.
  int directory() const { return directory_.get(); }

 private:
  bool OpenDirectory();
  void Begin(const std::vector<LogFile>& files);
  // Opens file INDEX at OFFSET; leaves file_ empty if it is gone.
  void Open(int index, std::int64_t offset);
  // At the end of the open file: returns whether reading can continue, there or in another file.
  bool Advance(Step* step);
  bool ReadData(std::size_t limit, Step* step);

  const std::string path_;
  const std::string task_;
  const std::string stream_;
  const LogStart start_;
  UniqueFd directory_;
  UniqueFd file_;
  LogPosition at_;
  bool begun_ = false;  // a file has been found
  bool empty_ = false;  // there was no file at first, so the stream's end was its beginning
  LogPosition first_end_;
};

}  // namespace drover
