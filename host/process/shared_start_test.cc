// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A task in a cgroup begins in the memory of its shim: its plan must change only the task.
#include <sys/resource.h>

#include "host/process/process_test_fixture.h"

namespace drover {
namespace {

class SharedStartTest : public ProcessFixture {
 protected:
  static std::string OfProcess(pid_t pid, const std::string& name) {
    const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
    return ReadSmallFile(AT_FDCWD, path.c_str()).value_or("");
  }
  // A field of /proc/PID/status.
  static std::string Field(pid_t pid, const std::string& name) {
    const std::string text = OfProcess(pid, "status");
    const std::size_t at = text.find("\n" + name + ":\t");
    if (at == std::string::npos) return "";
    const std::size_t start = at + name.size() + 3;
    return text.substr(start, text.find('\n', start) - start);
  }
};

TEST_F(SharedStartTest, WhatThePlanChangesIsTheTasksAlone) {
  ProcessSpec spec = Shell("echo $$ > $DIR/pid; sleep 60");
  spec.cwd = directory_;
  spec.umask = 027;
  spec.no_new_privileges = true;
  spec.oom_score_adj = 7;
  spec.limits = {{RLIMIT_NOFILE, 77, 99}};
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_TRUE(info.ok()) << info.error().message();
  const pid_t shim = info->shim_pid;
  const pid_t task = PidIn("pid");
  ASSERT_EQ(task, info->pid);

  EXPECT_EQ(Field(task, "NoNewPrivs"), "1");
  EXPECT_EQ(Field(shim, "NoNewPrivs"), Field(getpid(), "NoNewPrivs"));
  EXPECT_EQ(Field(task, "Umask"), "0027");
  EXPECT_EQ(Field(shim, "Umask"), "0022");
  EXPECT_EQ(OfProcess(task, "oom_score_adj"), "7\n");
  EXPECT_EQ(OfProcess(shim, "oom_score_adj"), OfProcess(getpid(), "oom_score_adj"));
  EXPECT_NE(Field(shim, "SigBlk"), "0000000000000000");  // only the task's mask is reset
  EXPECT_EQ(OfProcess(shim, "limits"), OfProcess(getpid(), "limits"));
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(shim) + "/cwd"),
            directory_ + "/run");
}

TEST_F(SharedStartTest, AProgramThatCannotBeExecutedDoesNotHarmTheShim) {
  for (int i = 0; i < 20; ++i) {
    ProcessSpec spec = Shell("");
    spec.argv = {directory_ + "/none"};
    const Result<ProcessInfo> info = Start(std::move(spec));
    ASSERT_FALSE(info.ok());
    EXPECT_EQ(info.error().message(),
              "cannot execute " + directory_ + "/none: No such file or directory");
  }
}

TEST_F(SharedStartTest, WhoHearsOfTheEndFindsTheRecordAndNothingElse) {
  for (int i = 0; i < 20; ++i) {
    const RunId run = MustStart(Shell("exit 3"));
    EXPECT_EQ(WaitFor(run).exit_code, 3);
    int records = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/run")) {
      if (entry.path().extension() == ".cgroup") continue;  // stays until the release
      EXPECT_EQ(entry.path().extension(), ".exit") << entry.path();
      ++records;
    }
    EXPECT_EQ(records, 1);
    const Status released = Await(service_->Release(Forever(), run));
    EXPECT_TRUE(released.ok());
    started_.clear();
  }
}

}  // namespace
}  // namespace drover
