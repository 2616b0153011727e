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

// Our end of a pipe whose other end belongs to a command. One thread.
class ExecPipe {
 public:
  // THEIRS gets the other end.
  static Result<std::unique_ptr<ExecPipe>> ToReadFrom(Loop* loop, UniqueFd* theirs);
  static Result<std::unique_ptr<ExecPipe>> ToWriteTo(Loop* loop, UniqueFd* theirs);

  // Returns the next bytes, at most SIZE; empty: the end.
  Co<std::string> Read(std::size_t size);
  // Waits while the reader is slow; Code::kUnavailable if there is none (any more).
  Co<Status> Write(std::string bytes);
  // The command has ended: no call waits any more. The bytes in the pipe can still be read, but
  // only a limited number, as processes that the command has left behind may go on writing.
  void Finish();
  // Closes our end: a reader sees the end of the stream.
  void Close();

 private:
  ExecPipe(Loop* loop, int fd) : end_(loop->io(), fd) {}

  boost::asio::posix::stream_descriptor end_;
  bool finished_ = false;
  std::size_t rest_ = std::size_t{1} << 20;  // bytes that may still be read after Finish
};

}  // namespace drover
