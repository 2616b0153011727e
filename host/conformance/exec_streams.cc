// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/exec_streams.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace drover {
namespace {

// Makes a pipe. Returns its read end and its write end. The end that the kit keeps is
// non-blocking.
std::pair<UniqueFd, UniqueFd> Pipe(bool read_here) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  fcntl(ends[read_here ? 0 : 1], F_SETFL, O_NONBLOCK);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void DrainOne(UniqueFd* from, std::string* to) {
  std::array<char, 4096> buffer;
  for (ssize_t n; from->valid() && (n = read(from->get(), buffer.data(), buffer.size())) != -1;) {
    if (n == 0) return from->Reset();
    to->append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

ExecRequest ExecStreams::Open(std::vector<std::string> command, bool tty) {
  ExecRequest request;
  request.command = std::move(command);
  request.tty = tty;
  auto in = Pipe(false);
  auto out = Pipe(true);
  request.input = std::move(in.first);
  request.output = std::move(out.second);
  input_ = std::move(in.second);
  output_ = std::move(out.first);
  if (!tty) {
    auto err = Pipe(true);
    request.error = std::move(err.second);
    error_ = std::move(err.first);
  }
  return request;
}

bool ExecStreams::Write(std::string* text) {
  while (!text->empty()) {
    const ssize_t n = write(input_.get(), text->data(), text->size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    text->erase(0, static_cast<std::size_t>(n));
  }
  return true;
}

bool ExecStreams::OutputIsFull() const {
  const int size = fcntl(output_.get(), F_GETPIPE_SZ);
  int waiting = 0;
  // A pipe is full when all its pages are in use. The pages may be only partly filled, so half the
  // size of the pipe counts as full.
  return size > 0 && ioctl(output_.get(), FIONREAD, &waiting) == 0 && waiting > size / 2;
}

void ExecStreams::Drain() {
  DrainOne(&output_, &out_);
  DrainOne(&error_, &err_);
}

}  // namespace drover
