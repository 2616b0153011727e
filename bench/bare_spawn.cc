// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/bare_spawn.h"

#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <vector>

#include "host/base/result.h"

namespace drover::bench {

double RunBareSpawn(const std::string& program, int tasks, int in_flight) {
  const auto start = std::chrono::steady_clock::now();
  char* argv[] = {const_cast<char*>(program.c_str()), nullptr};
  char* envp[] = {nullptr};
  int started = 0;
  int ended = 0;
  std::vector<pid_t> running;
  while (ended < tasks) {
    while (started < tasks && started - ended < in_flight) {
      pid_t pid = 0;
      DROVER_CHECK(posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv, envp) == 0);
      running.push_back(pid);
      ++started;
    }
    // Waits for the oldest first: a program that does nothing also ends in this order.
    siginfo_t info{};
    DROVER_CHECK(waitid(P_PID, static_cast<id_t>(running.front()), &info, WEXITED) == 0);
    DROVER_CHECK(info.si_status == 0);
    running.erase(running.begin());
    ++ended;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace drover::bench
