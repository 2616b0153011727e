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
  kTruncated,  // the file was cut or replaced: reading goes on at its beginning
};

// A piece of a stream.
struct LogChunk {
  std::string data;
  int index = 0;            // of the file it is from
  std::int64_t offset = 0;  // in that file, behind the data
  LogEvent event = LogEvent::kNone;
  std::string file;  // the name of the file
};

// Where to begin.
struct LogStart {
  // OFFSET counts from the beginning of the oldest file; FROM_END: so many bytes before the end,
  // over all the files.
  bool from_end = false;
  std::int64_t offset = 0;
};

// Reads one stream of a task through its rotated files. It blocks on the disk, so one thread at a
// time uses it, usually one of the worker pool. What it has opened it reads to the end, also when
// the file is rotated away meanwhile.
class LogReader : public LiveCount<LogReader> {
 public:
  // DIRECTORY is a descriptor of the log directory, or its path, opened when it is first there.
  LogReader(UniqueFd directory, std::string task, std::string stream, LogStart start);
  LogReader(std::string directory, std::string task, std::string stream, LogStart start);

  struct Step {
    std::optional<LogChunk> chunk;
    // Something may be there to read at once. If not, the end of what is there has been reached.
    bool more = false;
    // Reading has reached what was the end when it began, or is beyond it.
    bool past_first_end = false;
    // The directory has been removed: nothing will ever follow.
    bool gone = false;
  };
  // One look: at most LIMIT bytes.
  Step Read(std::size_t limit);

  // For a watch on the directory; -1 as long as it could not be opened.
  int directory() const { return directory_.get(); }

 private:
  bool OpenDirectory();
  void Begin(const std::vector<LogFile>& files);
  // Opens file INDEX at OFFSET; one that is not there any more is passed by.
  void Open(int index, std::int64_t offset);
  // At the end of the open file: whether reading can go on, there or in another one.
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
  bool empty_ = false;  // there was none at first: that was the end
  LogPosition first_end_;
};

}  // namespace drover
