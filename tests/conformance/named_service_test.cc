// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Several processes of a run (drover.process/2), as a driver in C uses them in the host and in a
// process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/run_services_fixture.h"

namespace drover {
namespace {

class NamedServiceTest : public RunServicesFixture {
 protected:
  std::string CgroupOfRun() const { return cgroup_root_ + "/" + task_->run_id.ToString(); }
  // The number of the named processes that have a cgroup.
  int CgroupsOfRun() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(CgroupOfRun()))
      count += entry.is_directory() ? 1 : 0;
    return count;
  }
  // Starts a process that obeys TRAP before this function returns.
  void StartReady(const std::string& name, const std::string& trap) {
    const std::string file = directory_.path() + "/ready-" + name;
    StartAs(name, trap + "; echo > " + file + "; while :; do sleep 0.05; done");
    EXPECT_TRUE(Until([&file] { return std::filesystem::exists(file); }, 20s));
  }
};

INSTANTIATE_TEST_SUITE_P(Containers, NamedServiceTest, testing::Values("in-process", "process"),
                         PlaceName);

TEST_P(NamedServiceTest, ProcessesAreStartedAndFoundAgain) {
  const NamedProcess tpm = StartAs("tpm", "exec sleep 1000");
  const std::string main_said = Answer("start main exec sleep 1000");
  const NamedProcess main = ReadProcess(main_said);
  EXPECT_EQ(main.cgroup, CgroupOfRun());
  EXPECT_THAT(tpm.cgroup, testing::StartsWith(CgroupOfRun() + "/"));
  for (const NamedProcess& each : {tpm, main}) {
    EXPECT_TRUE(Lives(each.pid));
    EXPECT_EQ(each.pidfd, "pidfd");
    const std::string line =
        ReadSmallFile(AT_FDCWD, ("/proc/" + std::to_string(each.pid) + "/cgroup").c_str())
            .value_or("");
    EXPECT_THAT(line, testing::HasSubstr(task_->run_id.ToString()));
  }
  EXPECT_EQ(Answer("list"), "names tpm");
  EXPECT_EQ(Answer("attach main"), main_said);
  EXPECT_EQ(ReadProcess(Answer("attach tpm")).pid, tpm.pid);
}

TEST_P(NamedServiceTest, WhatIsWrongIsRefused) {
  EXPECT_EQ(Ask("stranger list").code(), Code::kNotFound);
  EXPECT_EQ(Ask("stranger start tpm true").code(), Code::kNotFound);
  EXPECT_EQ(Ask("stranger wait main").code(), Code::kNotFound);
  for (const std::string& name : {std::string("a.b"), std::string("../x"), std::string("a/b"),
                                  std::string(33, 'n'), std::string()}) {
    EXPECT_EQ(Ask("start " + name + " true").code(), Code::kInvalidArgument) << name;
    EXPECT_EQ(Ask("attach " + name).code(), Code::kInvalidArgument) << name;
  }
  for (const char* what : {"nothing", "root", "empty-descriptor", "many-descriptors", "many-limits",
                           "two-inputs", "strange-descriptor", "strange-input"}) {
    EXPECT_EQ(Ask(std::string("odd ") + what).code(), Code::kInvalidArgument) << what;
  }
  EXPECT_EQ(Ask("odd flags").code(), Code::kUnimplemented);
  for (const char* what : {"attach none", "wait none", "kill none", "signal none 15",
                           "stop none 15 0", "exec none 1 true"}) {
    EXPECT_EQ(Ask(what).code(), Code::kNotFound) << what;
  }
  EXPECT_TRUE(Ask("release none").ok());
  EXPECT_EQ(Answer("list"), "names");
}

TEST_P(NamedServiceTest, ANameIsTakenUntilItsRelease) {
  const NamedProcess main = StartAs("main", "exec sleep 1000");
  const NamedProcess tpm = StartAs("tpm", "exec sleep 1000");
  EXPECT_EQ(Ask("start main true").code(), Code::kFailedPrecondition);
  EXPECT_EQ(Ask("start tpm true").code(), Code::kFailedPrecondition);
  EXPECT_TRUE(Lives(main.pid) && Lives(tpm.pid));
  EXPECT_TRUE(Ask("kill tpm").ok());
  EXPECT_TRUE(IsGone(tpm.pid));
  EXPECT_EQ(Ask("start tpm true").code(), Code::kFailedPrecondition);
  EXPECT_TRUE(Ask("release tpm").ok());
  EXPECT_FALSE(Ask("program tpm /no/such/program").ok());
  EXPECT_EQ(Answer("list"), "names");
  EXPECT_TRUE(Lives(StartAs("tpm", "exec sleep 1000").pid));
}

TEST_P(NamedServiceTest, ARunHasALimitedNumberOfProcesses) {
  for (int i = 1; i < 16; ++i) StartAs("p" + std::to_string(i), "exec sleep 1000");
  EXPECT_EQ(Ask("start more exec sleep 1000").code(), Code::kResourceExhausted);
  EXPECT_TRUE(Lives(StartAs("main", "exec sleep 1000").pid)) << "the sixteenth";
  EXPECT_TRUE(Ask("release p7").ok());
  EXPECT_TRUE(Lives(StartAs("more", "exec sleep 1000").pid));
}

TEST_P(NamedServiceTest, EndsAreReported) {
  StartAs("main", "exec sleep 1000");
  StartAs("tpm", "exit 3");
  EXPECT_EQ(Answer("wait tpm"), "ended 3 0");
  EXPECT_EQ(Answer("attach tpm"), "exited 3 0");
  StartAs("log", "exec sleep 1000");
  EXPECT_TRUE(Ask("signal log 10").ok());
  EXPECT_THAT(Answer("wait log"), testing::EndsWith(" 10"));
  StartReady("net", "trap 'exit 7' TERM");
  EXPECT_TRUE(Ask("stop net 15 20000").ok());
  EXPECT_EQ(Answer("wait net"), "ended 7 0");
  StartReady("deaf", "trap '' TERM");
  EXPECT_TRUE(Ask("stop deaf 15 100").ok());
  EXPECT_THAT(Answer("wait deaf"), testing::EndsWith(" 9"));
  EXPECT_EQ(Answer("list"), "names deaf log net tpm");
}

TEST_P(NamedServiceTest, TheOthersEndWithMain) {
  const NamedProcess tpm = StartAs("tpm", "trap '' INT TERM; while :; do sleep 1000; done");
  StartAs("main", "exec sleep 1000");
  const Pending waiting = Begin("wait tpm");
  EXPECT_TRUE(Ask("kill main").ok());
  ASSERT_TRUE(HasEnded(waiting));
  EXPECT_TRUE((*waiting)->ok());
  EXPECT_TRUE(IsGone(tpm.pid));
  EXPECT_TRUE(Ask("release main").ok());
  EXPECT_EQ(Answer("list"), "names");
  EXPECT_TRUE(Lives(StartAs("main", "exec sleep 1000").pid)) << "all is free again";
}

TEST_P(NamedServiceTest, WhatHasNotEndedCanBeCancelled) {
  const NamedProcess main = StartAs("main", "exec sleep 1000");
  const std::string file = directory_.path() + "/pid";
  const Pending waiting = Begin("wait main");
  const Pending session = Begin("exec main 7 echo $$ > " + file + "; exec sleep 1000");
  const pid_t command = PidIn(file);
  ASSERT_TRUE(Until([this] { return OpenRequests() == 2; }));
  EXPECT_TRUE(Ask("cancel").ok());
  ASSERT_TRUE(HasEnded(waiting) && HasEnded(session));
  EXPECT_EQ((*waiting)->code(), Code::kCancelled);
  EXPECT_EQ((*session)->code(), Code::kCancelled);
  EXPECT_TRUE(IsGone(command));
  EXPECT_TRUE(Lives(main.pid)) << "a wait only stops waiting";
  EXPECT_EQ(OpenRequests(), 0);
  EXPECT_TRUE(Ask("cancel").ok()) << "there is nothing to cancel";
}

TEST_P(NamedServiceTest, ACancelledStartLeavesNoProcessAndNoName) {
  StartAs("main", "exec sleep 1000");
  int cancelled = 0;
  for (int i = 0; i < 10; ++i) {
    const Status started = Ask("hurried start tpm exec sleep 1000");
    if (started.ok()) {  // it was faster
      EXPECT_TRUE(Ask("release tpm").ok());
      continue;
    }
    EXPECT_EQ(started.code(), Code::kCancelled) << started.error().message();
    ++cancelled;
    EXPECT_EQ(Answer("list"), "names");
    EXPECT_EQ(CgroupsOfRun(), 0);
  }
  EXPECT_GT(cancelled, 0);
  EXPECT_TRUE(Lives(StartAs("tpm", "exec sleep 1000").pid));
}

TEST_P(NamedServiceTest, SessionsAreFoundByTheirNumbers) {
  StartAs("tpm", "exec sleep 1000");
  EXPECT_EQ(Answer("exec tpm 1 exit 4"), "ended 4 0");
  const std::string file = directory_.path() + "/pid";
  const Pending session = Begin("exec tpm 1 echo $$ > " + file + "; exec sleep 1000");
  const pid_t command = PidIn(file);
  EXPECT_EQ(Ask("exec tpm 1 true").code(), Code::kFailedPrecondition);
  EXPECT_EQ(Answer("exec tpm 2 exit 5"), "ended 5 0");
  EXPECT_TRUE(Ask("end 9").ok());
  EXPECT_TRUE(Ask("resize 9").ok());
  EXPECT_FALSE(session->has_value());
  EXPECT_TRUE(Ask("end 1").ok());
  EXPECT_TRUE(HasEnded(session));
  EXPECT_TRUE(IsGone(command));
  EXPECT_EQ(Answer("exec tpm 1 exit 6"), "ended 6 0");
}

TEST_P(NamedServiceTest, AProcessHasTheDescriptorsOfTheDriver) {
  StartAs("main", "exec sleep 1000");
  Answer("piped tpm hello read word; echo got $word >&3");
  EXPECT_EQ(Answer("wait tpm"), "ended 0 0");
  EXPECT_EQ(Answer("read"), "got hello\n") << "and nobody else has the other end";
}

TEST_P(NamedServiceTest, AProcessHasTheLimitsOfTheDriver) {
  const std::string file = directory_.path() + "/limits";
  Answer("limited main 77 ulimit -n > " + file);
  EXPECT_EQ(Answer("wait main"), "ended 0 0");
  EXPECT_EQ(ReadSmallFile(AT_FDCWD, file.c_str()), "77\n");
}

TEST_P(NamedServiceTest, ATerminalEndsWithTheSideOfTheDriver) {
  const std::string file = directory_.path() + "/size";
  Answer("terminal main stty size > " + file + "; exec sleep 1000");
  EXPECT_TRUE(Until([&] { return ReadSmallFile(AT_FDCWD, file.c_str()) == "30 100\n"; }, 20s));
  EXPECT_TRUE(Ask("hangup").ok());
  EXPECT_THAT(Answer("wait main"), testing::EndsWith(" 1"));
}

TEST_P(NamedServiceTest, NothingOfATaskIsLeftAfterItsDestroy) {
  const NamedProcess tpm = StartAs("tpm", "trap '' TERM; while :; do sleep 1000; done");
  const NamedProcess main = StartAs("main", "exec sleep 1000");
  const Pending waiting = Begin("wait main");
  const std::string cgroup = CgroupOfRun();
  DestroyTask();
  EXPECT_FALSE(Lives(tpm.pid) || Lives(main.pid));
  EXPECT_FALSE(std::filesystem::exists(cgroup));
  EXPECT_TRUE(HasEnded(waiting));
  ExpectNothingIsLeft();
}

TEST_P(NamedServiceTest, AShutdownEndsRequestsAndNoProcess) {
  const NamedProcess main = StartAs("main", "exec sleep 1000");
  const Pending waiting = Begin("wait main");
  ASSERT_TRUE(Until([this] { return OpenRequests() == 1; }));
  Await(registry_->Shutdown());
  ASSERT_TRUE(HasEnded(waiting));
  registry_.reset();
  EXPECT_FALSE((*waiting)->ok());
  EXPECT_TRUE(Lives(main.pid));
}

TEST_P(NamedServiceTest, ProcessesOutliveTheProcessOfTheirPlugin) {
  if (isolation_ != "process") GTEST_SKIP() << "the plugin has no process of its own";
  const NamedProcess tpm = StartAs("tpm", "exec sleep 1000");
  const NamedProcess main = StartAs("main", "exec sleep 1000");
  ASSERT_EQ(kill(registry_->Inspect("test")->pid, SIGKILL), 0);
  ASSERT_TRUE(Until(
      [this] {
        return registry_->Inspect("test")->launches == 2 &&
               registry_->FindLoaded("test") != nullptr;
      },
      20s));
  EXPECT_EQ(Answer("list"), "names tpm");
  EXPECT_EQ(ReadProcess(Answer("attach tpm")).pid, tpm.pid);
  EXPECT_EQ(ReadProcess(Answer("attach main")).pid, main.pid);
}

TEST_P(NamedServiceTest, TheNextAgentFindsThem) {
  const NamedProcess tpm = StartAs("tpm", "exec sleep 1000");
  const NamedProcess main = StartAs("main", "exec sleep 1000");
  RestartAgent();
  const Result<RecoveredTask> back = Await(driver_->Recover(context_, task_, handle_));
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(Answer("list"), "names tpm");
  EXPECT_EQ(ReadProcess(Answer("attach main")).pid, main.pid);
  EXPECT_EQ(ReadProcess(Answer("attach tpm")).pid, tpm.pid);
  EXPECT_TRUE(Ask("kill tpm").ok());
  EXPECT_THAT(Answer("wait tpm"), testing::EndsWith(" 9"));
  EXPECT_TRUE(Lives(main.pid));
}

// The agent has died in the start: the driver knows nothing of the run, and nobody destroys it.
TEST_P(NamedServiceTest, WhatNobodyRecoversIsReleased) {
  const NamedProcess tpm = StartAs("tpm", "exec sleep 1000");
  RestartAgent();
  const Result<RecoveredTask> none = Await(driver_->Recover(context_, task_, TaskHandle()));
  EXPECT_EQ(none.code(), Code::kNotFound);
  EXPECT_FALSE(Lives(tpm.pid));
  ExpectNothingIsLeft();
  task_ = nullptr;
}

TEST_P(NamedServiceTest, ARefusedReloadHarmsNoProcess) {
  const NamedProcess tpm = StartAs("tpm", "exec sleep 1000");
  const NamedProcess main = StartAs("main", "exec sleep 1000");
  const Status reloaded = Reload("recover_forgets");
  ASSERT_FALSE(reloaded.ok());
  EXPECT_THAT(reloaded.error().message(), testing::HasSubstr("cannot recover"));
  EXPECT_TRUE(Lives(tpm.pid) && Lives(main.pid));
  EXPECT_EQ(Answer("list"), "names tpm");
}

// A host that starts no processes has neither service.
class WithoutRunServicesTest : public RegistryFixture,
                               public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Containers, WithoutRunServicesTest,
                         testing::Values("in-process", "process"), PlaceName);

TEST_P(WithoutRunServicesTest, TheDriverFindsNone) {
  isolation_ = GetParam();
  Driver* const driver = LoadOne("uses_run_services");
  const auto task = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, task)).ok());
  for (const char* what : {"do list", "do start main true", "do place", "do unplace"}) {
    const Status asked = Await(driver->Signal(context_, task->run_id, std::string(what)));
    EXPECT_EQ(asked.code(), Code::kUnimplemented) << what;
  }
  EXPECT_TRUE(Await(driver->Destroy(context_, task->run_id, true)).ok());
}

}  // namespace
}  // namespace drover
