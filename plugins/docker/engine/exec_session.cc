// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/exec_session.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <thread>

#include "engine/frames.h"
#include "engine/own_thread.h"

namespace drover_docker {
namespace {

// A pipe that takes bytes takes as many as this without blocking.
constexpr std::size_t kPipePiece = 4096;

// Writes BYTES to FD. Returns false if nobody reads them.
bool WriteOutput(int fd, std::string_view bytes, const CancelToken& cancel) {
  while (!bytes.empty()) {
    if ((WaitFor(fd, POLLOUT, SteadyTime::max(), cancel) & POLLOUT) == 0) return false;
    const ssize_t written = ::write(fd, bytes.data(), std::min(bytes.size(), kPipePiece));
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Carries INPUT to STREAM until its end.
void CarryInput(HijackedStream* stream, int input, const CancelToken& ended) {
  PrepareOwnThread("docker-input");
  try {
    std::array<char, 16u << 10> piece;
    for (;;) {
      WaitFor(input, POLLIN, SteadyTime::max(), ended);
      const ssize_t got = ::read(input, piece.data(), piece.size());
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) break;  // a terminal that has gone away is an end, too
      stream->Write(std::string_view(piece.data(), static_cast<std::size_t>(got)), ended,
                    drover::Duration(0));
    }
  } catch (const drover::Error&) {
    // The command may have ended, or closed its input: its output says the rest.
  }
  stream->CloseWrite();
}

}  // namespace

void CarrySession(HijackedStream* stream, const ExecStreams& streams, bool tty,
                  const CancelToken& cancel) {
  const CancelToken ended;
  std::thread input;
  if (streams.input.ok()) {
    input = std::thread([&] { CarryInput(stream, streams.input.get(), ended); });
  } else {
    stream->CloseWrite();
  }
  // Joins the thread also if this function throws.
  struct Join {
    const CancelToken& ended;
    std::thread& thread;
    ~Join() {
      ended.Cancel();
      if (thread.joinable()) thread.join();
    }
  } const join{ended, input};

  bool output_open = streams.output.ok();
  bool error_open = streams.error.ok();
  const auto write = [&](OutputKind kind, std::string_view bytes, bool, bool) {
    const bool to_error = kind == OutputKind::kError && !tty;
    bool& open = to_error ? error_open : output_open;
    const int fd = to_error ? streams.error.get() : streams.output.get();
    if (open && !WriteOutput(fd, bytes, cancel)) open = false;
  };
  FrameSplitter frames;
  std::array<char, 16u << 10> piece;
  while (const std::size_t size = stream->Read(piece.data(), piece.size(), cancel)) {
    const std::string_view bytes(piece.data(), size);
    if (tty) {
      write(OutputKind::kOutput, bytes, true, true);
    } else if (!frames.Put(bytes, write)) {
      throw drover::Error(drover::Code::kUnavailable, "the container engine: " + frames.mistake(),
                          true);
    }
  }
}

}  // namespace drover_docker
