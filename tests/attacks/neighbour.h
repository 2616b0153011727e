// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <string>
#include <vector>

namespace drover {

// A program of the attacks that runs on the host beside the test, until the test ends it.
class Neighbour {
 public:
  Neighbour() = default;
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() { End(); }

  void Start(const std::string& attack, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::string(DROVER_ATTACKS) + "/" + attack);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    char* const envp[] = {nullptr};
    ASSERT_EQ(posix_spawn(&pid_, argv[0], nullptr, nullptr, argv.data(), envp), 0);
  }
  void End() {
    if (pid_ == 0) return;
    EXPECT_EQ(waitpid(pid_, nullptr, WNOHANG), 0) << "the attacker has given up";
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
};

}  // namespace drover
