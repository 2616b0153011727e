// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/alloc/alloc_files.h"
#include "host/api/file_request.h"

namespace drover {

// Reads one file of an allocation to its end, and continues when it grows. It blocks; only one
// thread at a time may use it.
class FileTail {
 public:
  static Result<FileTail> Open(std::shared_ptr<const AllocFiles> files, std::string path,
                               ReadStart start);

  enum class State {
    kMore,  // there may be more to read at once
    kEnd,   // everything in the file has been read
    kTruncated,
    kDeleted,  // or renamed, or replaced: nothing more comes
  };
  struct Step {
    State state = State::kEnd;
    std::string data;
  };
  Step Read();

  std::int64_t offset() const { return offset_; }
  // For a watch.
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
