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

// The agent's end of a pipe whose other end belongs to a command. Use it on one thread only.
class ExecPipe {
 public:
  // These functions make a pipe and store the command's end in THEIRS.
  static Result<std::unique_ptr<ExecPipe>> ToReadFrom(Loop* loop, UniqueFd* theirs);
  static Result<std::unique_ptr<ExecPipe>> ToWriteTo(Loop* loop, UniqueFd* theirs);

  // Returns the next bytes, at most SIZE. Returns an empty text at the end of the stream.
  Co<std::string> Read(std::size_t size);
  // Writes all BYTES and waits while the reader is slow. Returns Code::kUnavailable if no process
  // has the other end of the pipe open.
  Co<Status> Write(std::string bytes);
  // Must be called when the command has ended. From then on, Read and Write do not wait. Read still
  // returns the bytes in the pipe, but only a limited number. The limit is necessary because
  // processes that the command left running may continue to write.
  void Finish();
  // Closes the agent's end. A reader at the other end then reaches the end of the stream.
  void Close();

 private:
  ExecPipe(Loop* loop, int fd) : end_(loop->io(), fd) {}

  boost::asio::posix::stream_descriptor end_;
  bool finished_ = false;
  std::size_t rest_ = std::size_t{1} << 20;  // bytes that may still be read after Finish
};

}  // namespace drover
