// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/confined_program.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "host/base/directory_for_test.h"
#include "host/base/open_fds_for_test.h"

namespace drover {
namespace {

using testing::HasSubstr;
using testing::Not;

// Runs the program host/child/confined_for_test.c, whose orders begin with "DO:".
class ConfinedProgramTest : public testing::Test {
 protected:
  ConfinedProgramTest() : program_(open(DROVER_CONFINED_FOR_TEST, O_PATH | O_CLOEXEC)) {
    spec_.program = program_.get();
    spec_.name = "confined";
  }

  ChildEnd Run(const std::string& order) {
    spec_.input = "DO:" + order + ";";
    Result<ChildEnd> end = RunConfined(spec_);
    EXPECT_TRUE(end.ok()) << end.error().message();
    return end.ok() ? std::move(*end) : ChildEnd{};
  }

  const UniqueFd program_;
  ConfinedProgram spec_;
};

bool HasLandlock() { return syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) > 0; }

std::string Text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_F(ConfinedProgramTest, ReadsItsInputAndWritesItsOutput) {
  const ChildEnd end = Run("say hello");
  EXPECT_EQ(end.output, "hello");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_FALSE(end.timed_out);
}

TEST_F(ConfinedProgramTest, ReportsItsExitCodeAndErrors) {
  const ChildEnd end = Run("fail in this way");
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_EQ(end.stderr_tail, "in this way");
}

TEST_F(ConfinedProgramTest, ReportsACrash) {
  const ChildEnd end = Run("crash");
  EXPECT_THAT(end.signal, testing::AnyOf(SIGILL, SIGTRAP));
  EXPECT_EQ(end.stderr_tail, "about to crash");
}

TEST_F(ConfinedProgramTest, CanDoNothingToTheMachine) {
  const std::string done = Run("attack " + std::to_string(getpid())).output;
  EXPECT_THAT(done, Not(HasSubstr("ALLOWED")));
  // The last attempt: the program has not ended before.
  EXPECT_THAT(done, HasSubstr("higher limit of files refused"));
}

TEST_F(ConfinedProgramTest, WhatReadsFilesCanDoNothingElseEither) {
  if (!HasLandlock()) GTEST_SKIP() << "this kernel has no Landlock";
  const DirectoryForTest directory;
  spec_.files_below = directory.path();
  std::istringstream lines(Run("attack " + std::to_string(getpid())).output);
  std::string last;
  for (std::string line; std::getline(lines, line); last = line) {
    // That a file is there is no secret from a program that may read files.
    if (!line.starts_with("newfstatat")) EXPECT_THAT(line, HasSubstr("refused"));
  }
  EXPECT_EQ(last, "higher limit of files refused");
}

TEST_F(ConfinedProgramTest, InheritsNoDescriptor) {
  std::vector<UniqueFd> inheritable;
  for (int i = 0; i < 100; ++i) inheritable.emplace_back(open("/dev/null", O_RDONLY));
  EXPECT_EQ(Run("descriptors").output, "0 1 2 ");
}

TEST_F(ConfinedProgramTest, LeavesNoDescriptorAndNoChild) {
  Run("say once");
  const long before = OpenFds();
  Run("say twice");
  Run("crash");
  EXPECT_EQ(OpenFds(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(ConfinedProgramTest, IsKilledWhenItsTimeIsOver) {
  spec_.limit = 50ms;
  const ChildEnd end = Run("loop");
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(ConfinedProgramTest, IsKilledWhenItsOutputIsTooLong) {
  spec_.most_output = 100'000;
  const ChildEnd end = Run("flood");
  EXPECT_TRUE(end.too_long);
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(end.output.size(), spec_.most_output);
}

TEST_F(ConfinedProgramTest, GetsNoMoreMemory) {
  spec_.most_memory = std::size_t{32} << 20;
  const int taken = std::stoi(Run("memory").output);
  EXPECT_GT(taken, 20);
  EXPECT_LE(taken, 32);
}

TEST_F(ConfinedProgramTest, ReadsAVeryLongInput) {
  spec_.input = "DO:say first;" + std::string(std::size_t{16} << 20, 'x');
  const Result<ChildEnd> end = RunConfined(spec_);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->output, "first");
}

class ConfinedReaderTest : public ConfinedProgramTest {
 protected:
  void SetUp() override {
    if (!HasLandlock()) GTEST_SKIP() << "this kernel has no Landlock";
    spec_.files_below = directory_.path() + "/below";
    std::filesystem::create_directories(spec_.files_below + "/deeper");
    Write("secret");
    Write("below/file");
    Write("below/deeper/file");
    std::filesystem::create_symlink("../secret", spec_.files_below + "/link");
  }
  void Write(const std::string& name) {
    std::ofstream(directory_.path() + "/" + name) << name;
    // Nobody but the owner may read it, or enter the directory.
    std::filesystem::permissions(directory_.path() + "/" + name,
                                 std::filesystem::perms::owner_read);
  }

  const DirectoryForTest directory_;
};

TEST_F(ConfinedReaderTest, ReadsFilesBelowTheDirectory) {
  EXPECT_EQ(Run("read " + spec_.files_below + "/file").output, "below/file");
  EXPECT_EQ(Run("read " + spec_.files_below + "/deeper/file").output, "below/deeper/file");
}

TEST_F(ConfinedReaderTest, ReadsNoOtherFile) {
  for (const std::string& path : {directory_.path() + "/secret", spec_.files_below + "/../secret",
                                  spec_.files_below + "/link", std::string("/etc/passwd"),
                                  std::string("/proc/self/environ"), std::string("/dev/zero")}) {
    EXPECT_EQ(Run("read " + path).output, "permission denied") << path;
  }
}

TEST_F(ConfinedReaderTest, ChangesNoFile) {
  for (const char* name : {"file", "new"}) {
    EXPECT_EQ(Run("create " + spec_.files_below + "/" + name).output,
              "create refused\nappend refused\ntruncate refused\n");
  }
  EXPECT_EQ(Text(spec_.files_below + "/file"), "below/file");
  EXPECT_FALSE(std::filesystem::exists(spec_.files_below + "/new"));
}

// Without its rules, it could read all files.
TEST_F(ConfinedReaderTest, HasItsRulesOrDoesNotRun) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_GT(before.rlim_cur, 80u);
  spec_.input = "DO:read /etc/passwd;";
  int ran = 0, failed = 0;
  for (rlim_t most = 60; most <= 80; ++most) {
    const rlimit scarce{most, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &scarce), 0);
    const Result<ChildEnd> end = RunConfined(spec_);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    if (end.ok()) {
      ++ran;
      EXPECT_EQ(end->output, "permission denied") << most;
    } else {
      ++failed;
      EXPECT_THAT(end.error().message(), HasSubstr("confined cannot place its descriptors: "));
    }
  }
  EXPECT_GT(ran, 0);
  EXPECT_GT(failed, 0);
}

TEST_F(ConfinedReaderTest, ADirectoryThatIsMissingIsAnError) {
  spec_.files_below = directory_.path() + "/nowhere";
  const Result<ChildEnd> end = RunConfined(spec_);
  EXPECT_EQ(end.code(), Code::kNotFound);
  EXPECT_THAT(end.error().message(), HasSubstr("/nowhere"));
}

TEST_F(ConfinedProgramTest, AFileThatIsNoProgramIsAnError) {
  const UniqueFd file(open("/etc/passwd", O_PATH | O_CLOEXEC));
  spec_.program = file.get();
  const Result<ChildEnd> end = RunConfined(spec_);
  EXPECT_EQ(end.code(), Code::kPermissionDenied);
  EXPECT_EQ(end.error().message(), "confined cannot be executed: Permission denied");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

// Returns the only child of this process, as soon as it executes the program.
std::string AwaitChildProcess() {
  while (true) {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string pid;
      std::istringstream(Text(thread.path() / "children")) >> pid;
      if (!pid.empty() && Text("/proc/" + pid + "/cmdline") == std::string("confined\0", 9)) {
        return pid;
      }
    }
    std::this_thread::yield();
  }
}

TEST_F(ConfinedProgramTest, HasNoRights) {
  spec_.limit = 60s;
  spec_.environment = {"ONLY=this"};
  std::thread caller([this] { Run("loop"); });
  const std::string child = AwaitChildProcess();
  const std::string status = Text("/proc/" + child + "/status");
  for (const char* line :
       {"NoNewPrivs:\t1\n", "Seccomp:\t2\n", "CapPrm:\t0000000000000000\n",
        "CapEff:\t0000000000000000\n", "CapInh:\t0000000000000000\n", "CapAmb:\t0000000000000000\n",
        "SigIgn:\t0000000000000000\n", "SigBlk:\t0000000000000000\n"}) {
    EXPECT_THAT(status, HasSubstr(line));
  }
  if (geteuid() == 0) {
    EXPECT_THAT(status, HasSubstr("Uid:\t65533\t65533\t65533\t65533\n"));
    EXPECT_THAT(status, HasSubstr("Gid:\t65533\t65533\t65533\t65533\n"));
    EXPECT_THAT(status, HasSubstr("Groups:\t \n"));
  }
  EXPECT_EQ(Text("/proc/" + child + "/oom_score_adj"), "1000\n");
  EXPECT_EQ(Text("/proc/" + child + "/environ"), std::string("ONLY=this\0", 10));
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + child + "/cwd"), "/");
  kill(std::stoi(child), SIGKILL);
  caller.join();
}

TEST_F(ConfinedProgramTest, EndsWithItsCaller) {
  // This process adopts what is left by the caller.
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  spec_.limit = 60s;
  const pid_t caller = fork();
  if (caller == 0) {
    (void)RunConfined([this] {
      spec_.input = "DO:loop;";
      return spec_;
    }());
    _exit(0);
  }
  std::string child;
  while (Text("/proc/" + child + "/cmdline") != std::string("confined\0", 9)) {
    std::istringstream(Text("/proc/" + std::to_string(caller) + "/task/" + std::to_string(caller) +
                            "/children")) >>
        child;
  }
  kill(caller, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(caller, &status, 0), caller);
  EXPECT_EQ(waitpid(std::stoi(child), &status, 0), std::stoi(child));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

TEST_F(ConfinedProgramTest, RunsBelowALowerLimitOfItsCaller) {
  // The limit would hold for this process, too.
  const pid_t caller = fork();
  if (caller == 0) {
    const rlimit lower{5, 5};
    spec_.input = "DO:say hello;";
    if (setrlimit(RLIMIT_CPU, &lower) != 0) _exit(2);
    const Result<ChildEnd> end = RunConfined(spec_);
    _exit(end.ok() && end->output == "hello" ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(caller, &status, 0), caller);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// As in a container without privileges: root is there, and no other user.
TEST_F(ConfinedProgramTest, RunsWhereThereIsNoUserButRoot) {
  const std::string uids = "0 " + std::to_string(geteuid()) + " 1";
  const std::string gids = "0 " + std::to_string(getegid()) + " 1";
  const std::string own_pid = std::to_string(getpid());
  const pid_t caller = fork();
  if (caller == 0) {
    if (unshare(CLONE_NEWUSER) != 0) _exit(3);
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << uids;
    std::ofstream("/proc/self/gid_map") << gids;
    if (geteuid() != 0 || setgroups(0, nullptr) == 0) _exit(3);
    spec_.input = "DO:attack " + own_pid + ";";
    const Result<ChildEnd> end = RunConfined(spec_);
    if (!end.ok()) std::fprintf(stderr, "%s\n", end.error().message().c_str());
    const std::string done = end.ok() ? end->output : "";
    _exit(!done.empty() && done.find("ALLOWED") == std::string::npos ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(caller, &status, 0), caller);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 3) GTEST_SKIP() << "this machine allows no such user namespace";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ConfinedProgramTest, LeavesTheRightsOfItsCaller) {
  const std::string before = Text("/proc/self/status");
  const auto rights = [](const std::string& status) {
    const std::size_t uid = status.find("Uid:"), caps = status.find("SigBlk:");
    return status.substr(uid, status.find("FDSize:") - uid) +
           status.substr(caps, status.find("Speculation") - caps);
  };
  const int dumpable = prctl(PR_GET_DUMPABLE);
  Run("say something");
  EXPECT_EQ(rights(Text("/proc/self/status")), rights(before));
  EXPECT_EQ(prctl(PR_GET_DUMPABLE), dumpable);
}

TEST_F(ConfinedProgramTest, ManyThreadsMayRunItAtOnce) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&right, i, spec = spec_]() mutable {
      const std::string text = std::to_string(i);
      spec.input = "DO:say " + text + ";";
      spec.limit = 60s;
      const Result<ChildEnd> end = RunConfined(spec);
      if (end.ok() && end->output == text) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 16);
}

}  // namespace
}  // namespace drover
