// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/frame_floor.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "bench/rounds.h"
#include "host/base/result.h"

namespace drover::bench {
namespace {

constexpr std::size_t kMessage = 128;  // bytes: about the size of a call without strings

// Returns each message to its sender, until the other end is closed.
void Answer(int fd) {
  char message[kMessage];
  for (ssize_t n; (n = recv(fd, message, sizeof(message), 0)) > 0;) {
    if (send(fd, message, static_cast<std::size_t>(n), MSG_NOSIGNAL) != n) return;
  }
}

}  // namespace

std::vector<double> MeasureFrameFloor(int calls, int rounds) {
  using Clock = std::chrono::steady_clock;
  int ends[2];
  DROVER_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const pid_t child = fork();
  DROVER_CHECK(child >= 0);
  if (child == 0) {
    close(ends[0]);
    Answer(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  std::vector<double> medians;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> took;
    for (int i = 0; i < calls; ++i) {
      char message[kMessage] = {};
      const auto began = Clock::now();
      DROVER_CHECK(send(ends[0], message, sizeof(message), MSG_NOSIGNAL) == kMessage);
      DROVER_CHECK(recv(ends[0], message, sizeof(message), 0) == kMessage);
      took.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
    }
    medians.push_back(Median(std::move(took)));
  }
  close(ends[0]);
  DROVER_CHECK(waitpid(child, nullptr, 0) == child);
  return medians;
}

}  // namespace drover::bench
