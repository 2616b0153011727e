// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

ProgramRun Shell(const std::string& script) {
  ProgramRun run;
  run.program = "/bin/sh";
  run.arguments = {"-c", script};
  run.environment = {"PATH=/usr/bin:/bin", "WORD=right"};
  return run;
}

TEST(RunProgramTest, HasItsInputItsEnvironmentAndItsOutput) {
  ProgramRun run = Shell("cat; echo \"$WORD\"; echo wrong >&2; exit 3");
  run.input = "in\n";
  const Result<ChildEnd> end = RunProgram(run);
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_EQ(end->output, "in\nright\n");
  EXPECT_EQ(end->stderr_tail, "wrong\n");
  EXPECT_EQ(end->exit_code, 3);
}

TEST(RunProgramTest, EndsAtItsLimitWithAllThatItStarted) {
  const DirectoryForTest directory;
  const std::string file = directory.path() + "/lock";
  const UniqueFd lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ProgramRun run = Shell("sleep 60 & wait");
  run.limit = 100ms;
  run.descriptor = lock.get();
  ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
  const Result<ChildEnd> end = RunProgram(run);
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_TRUE(end->timed_out);
  EXPECT_EQ(end->signal, SIGKILL);
}

TEST(RunProgramTest, APassedDescriptorTellsWhetherItStillRuns) {
  const DirectoryForTest directory;
  const std::string file = directory.path() + "/lock";
  UniqueFd lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
  // The process that goes on has left the group before the script ends, so nobody kills it.
  const std::string ready = directory.path() + "/ready";
  const std::string pipe = directory.path() + "/pipe";
  ASSERT_EQ(mkfifo(ready.c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ProgramRun run = Shell("setsid sh -c 'echo > " + ready + "; read line < " + pipe +
                         "' >/dev/null 2>&1 & read line < " + ready);
  run.descriptor = lock.get();
  ASSERT_TRUE(RunProgram(run).ok());
  lock.Reset();
  const UniqueFd other(open(file.c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_NE(flock(other.get(), LOCK_EX | LOCK_NB), 0);
  const UniqueFd writer(open(pipe.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(write(writer.get(), "\n", 1), 1);
  EXPECT_EQ(flock(other.get(), LOCK_EX), 0);
}

TEST(RunProgramTest, HasNoDescriptorThatIsNotGiven) {
  constexpr int kFarAbove = 50;
  const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const UniqueFd stays(fcntl(null.get(), F_DUPFD, kFarAbove));  // open after exec
  ASSERT_TRUE(stays);
  const std::string number = std::to_string(stays.get());
  ProgramRun run = Shell("for fd in 3 4 " + number +
                         R"(; do [ -e "/proc/$$/fd/$fd" ] && echo "$fd"; done; true)");
  const Result<ChildEnd> end = RunProgram(run);
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_EQ(end->output, "");
  run.descriptor = null.get();
  const Result<ChildEnd> with_one = RunProgram(run);
  ASSERT_TRUE(with_one.ok()) << with_one.error().message();
  EXPECT_EQ(with_one->output, "3\n");
}

TEST(RunProgramTest, TooMuchOutputEndsIt) {
  ProgramRun run = Shell("exec cat /dev/zero");
  run.most_output = 1000;
  const Result<ChildEnd> end = RunProgram(run);
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_TRUE(end->too_long);
  EXPECT_EQ(end->output.size(), 1000u);
}

TEST(RunProgramTest, AProgramThatIsNotThereIsAnError) {
  ProgramRun run;
  run.program = "/nonexistent/drover";
  const Result<ChildEnd> end = RunProgram(run);
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.code(), Code::kNotFound);
  EXPECT_EQ(end.error().message(), "cannot run /nonexistent/drover: No such file or directory");
}

}  // namespace
}  // namespace drover
