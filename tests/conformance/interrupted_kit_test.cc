// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A kit that is killed while it works leaves nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "host/library/test_files.h"

extern char** environ;

namespace drover {
namespace {

namespace fs = std::filesystem;

// The processes whose environment holds TEXT.
int Processes(const std::string& text) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string environment((std::istreambuf_iterator<char>(file)), {});
    if (environment.find(text) != std::string::npos) ++count;
  }
  return count;
}

template <typename Done>
bool Within(std::chrono::seconds limit, Done done) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

class InterruptedKitTest : public testing::TestWithParam<int> {};

TEST_P(InterruptedKitTest, LeavesNeitherProcessesNorFiles) {
  const TestDirectory directory;
  const std::string mark = "TMPDIR=" + directory.path();
  // Starts this program again, to run a kit whose case directories are below ours.
  std::vector<std::string> environment{mark};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string(*variable).rfind("TMPDIR=", 0) != 0) environment.emplace_back(*variable);
  }
  std::vector<char*> envp;
  for (std::string& variable : environment) envp.push_back(variable.data());
  envp.push_back(nullptr);
  std::string program = "conformance_test";
  std::string filter = "--gtest_filter=ConformanceTest.AGoodDriverConforms";
  char* argv[] = {program.data(), filter.data(), nullptr};
  pid_t pid = -1;
  ASSERT_EQ(posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv, envp.data()), 0);
  // The kit, its remover and at least two cases.
  EXPECT_TRUE(Within(std::chrono::seconds(20), [&] { return Processes(mark) >= 4; }));
  EXPECT_FALSE(fs::is_empty(directory.path()));
  kill(pid, GetParam());
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it was over before it could be interrupted";
  EXPECT_TRUE(Within(std::chrono::seconds(20), [&] { return Processes(mark) == 0; }));
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptedKitTest, testing::Values(SIGINT, SIGTERM, SIGKILL));

}  // namespace
}  // namespace drover
