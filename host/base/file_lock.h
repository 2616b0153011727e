// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/file.h>

#include <utility>

#include "host/base/unique_fd.h"

namespace drover {

// Owns a file that was locked with flock, and unlocks it at its end. If the file were only closed,
// it would stay locked as long as another process has inherited it: a child that this program has
// just started, until it executes its own program, or what a plugin has left behind.
class FileLock {
 public:
  FileLock() = default;
  // FILE is locked already.
  explicit FileLock(UniqueFd file) : file_(std::move(file)) {}
  FileLock(FileLock&&) = default;
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~FileLock() {
    if (file_) flock(file_.get(), LOCK_UN);
  }

  int file() const { return file_.get(); }

 private:
  UniqueFd file_;
};

}  // namespace drover
