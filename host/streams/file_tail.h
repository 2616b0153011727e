// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/alloc/alloc_files.h"
#include "host/streams/file_request.h"

namespace drover {

// Reads one file of an allocation to its end, and continues when the file grows. The calls block.
// Only one thread at a time may use the object.
class FileTail {
 public:
  static Result<FileTail> Open(std::shared_ptr<const AllocFiles> files, std::string path,
                               ReadStart start);

  enum class State {
    kMore,  // there may be more bytes to read immediately
    kEnd,   // everything in the file has been read
    kTruncated,
    kDeleted,  // the file was deleted, renamed or replaced; no more bytes come
  };
  struct Step {
    State state = State::kEnd;
    std::string data;
  };
  Step Read();

  std::int64_t offset() const { return offset_; }
  // Returns the descriptor of the file, so that a LogWatcher can watch the file.
  int fd() const { return fd_.get(); }

 private:
  FileTail(std::shared_ptr<const AllocFiles> files, std::string path, UniqueFd fd)
      : files_(std::move(files)), path_(std::move(path)), fd_(std::move(fd)) {}

  std::shared_ptr<const AllocFiles> files_;
  std::string path_;
  UniqueFd fd_;
  std::int64_t offset_ = 0;
};

}  // namespace drover
