// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>

#include "host/base/result.h"

namespace drover {

// Counts what something costs, and refuses more than its limit.
class FetchBudget {
 public:
  // WHAT is a part of the error, such as "the files of the archive".
  FetchBudget(std::string what, std::uint64_t most_bytes, std::uint64_t most_files)
      : what_(std::move(what)), most_bytes_(most_bytes), most_files_(most_files) {}

  Status AddBytes(std::uint64_t bytes) {
    if (bytes > most_bytes_ - bytes_) {
      return Error(Code::kResourceExhausted, what_ + " have more than the limit of " +
                                                 std::to_string(most_bytes_) + " bytes");
    }
    bytes_ += bytes;
    return {};
  }
  Status AddFile() {
    if (files_ == most_files_) {
      return Error(Code::kResourceExhausted,
                   what_ + " are more than the limit of " + std::to_string(most_files_) + " files");
    }
    ++files_;
    return {};
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  const std::string what_;
  const std::uint64_t most_bytes_;
  const std::uint64_t most_files_;
  std::uint64_t bytes_ = 0;
  std::uint64_t files_ = 0;
};

// How far a download is. A file in memory that the agent and the process that fetches share.
struct FetchProgress {
  std::uint64_t bytes = 0;  // that have arrived
  std::uint64_t total = 0;  // 0: unknown
};

inline void StoreProgress(int file, const FetchProgress& progress) {
  const ssize_t written = pwrite(file, &progress, sizeof progress, 0);
  (void)written;  // it is only for people
}

inline FetchProgress LoadProgress(int file) {
  FetchProgress progress;
  const bool whole = pread(file, &progress, sizeof progress, 0) == sizeof progress;
  return whole ? progress : FetchProgress();
}

}  // namespace drover
