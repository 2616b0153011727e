// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/exec_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <string_view>
#include <utility>

namespace drover {
namespace {

constexpr auto kTuple = boost::asio::as_tuple(boost::asio::use_awaitable);
constexpr auto kReadable = boost::asio::posix::descriptor_base::wait_read;
constexpr auto kWritable = boost::asio::posix::descriptor_base::wait_write;

// Returns a new pipe. Its element 0 is the reading end, and its element 1 is the writing end. The
// element MINE is non-blocking.
Result<std::pair<UniqueFd, UniqueFd>> MakePipe(std::size_t mine) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError(errno, "no pipe for the command");
  fcntl(ends.at(mine), F_SETFL, O_NONBLOCK);
  return std::pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

}  // namespace

Result<std::unique_ptr<ExecPipe>> ExecPipe::ToReadFrom(Loop* loop, UniqueFd* theirs) {
  DROVER_ASSIGN(auto ends, MakePipe(0));
  *theirs = std::move(ends.second);
  return std::unique_ptr<ExecPipe>(new ExecPipe(loop, ends.first.Release()));
}

Result<std::unique_ptr<ExecPipe>> ExecPipe::ToWriteTo(Loop* loop, UniqueFd* theirs) {
  DROVER_ASSIGN(auto ends, MakePipe(1));
  *theirs = std::move(ends.first);
  return std::unique_ptr<ExecPipe>(new ExecPipe(loop, ends.second.Release()));
}

Co<std::string> ExecPipe::Read(std::size_t size) {
  std::string bytes(size, '\0');
  while (end_.is_open()) {
    const std::size_t most = finished_ ? std::min(size, rest_) : size;
    const ssize_t n = read(end_.native_handle(), bytes.data(), most);
    if (n > 0) {
      if (finished_) rest_ -= static_cast<std::size_t>(n);
      bytes.resize(static_cast<std::size_t>(n));
      co_return bytes;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || errno != EAGAIN || finished_) break;
    (void)co_await end_.async_wait(kReadable, kTuple);
  }
  co_return std::string();
}

Co<Status> ExecPipe::Write(std::string bytes) {
  std::string_view left = bytes;
  while (!left.empty() && end_.is_open()) {
    const ssize_t n = write(end_.native_handle(), left.data(), left.size());
    if (n > 0) {
      left.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN || finished_) break;
    (void)co_await end_.async_wait(kWritable, kTuple);
  }
  if (left.empty()) co_return Status();
  co_return Error(Code::kUnavailable, "the command reads no more");
}

void ExecPipe::Finish() {
  finished_ = true;
  boost::system::error_code ignored;
  if (end_.is_open()) end_.cancel(ignored);
}

void ExecPipe::Close() {
  boost::system::error_code ignored;
  end_.close(ignored);
}

}  // namespace drover
