// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "host/base/co.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// This side's end of a pipe whose other end is a command's. One thread.
class ExecPipe {
 public:
  // THEIRS gets the other end.
  static Result<std::unique_ptr<ExecPipe>> ToReadFrom(Loop* loop, UniqueFd* theirs);
  static Result<std::unique_ptr<ExecPipe>> ToWriteTo(Loop* loop, UniqueFd* theirs);

  // What comes next, at most SIZE bytes; empty: the end.
  Co<std::string> Read(std::size_t size);
  // Waits while the reader is slow; Code::kUnavailable when there is none (any more).
  Co<Status> Write(std::string bytes);
  // The command has ended: nobody waits any more. What is in the pipe can be read, but not for ever
  // what others whom it has left behind go on to write.
  void Finish();
  // The reader sees the end.
  void Close();

 private:
  ExecPipe(Loop* loop, int fd) : end_(loop->io(), fd) {}

  boost::asio::posix::stream_descriptor end_;
  bool finished_ = false;
  std::size_t rest_ = std::size_t{1} << 20;  // read at most once it is finished
};

}  // namespace drover
