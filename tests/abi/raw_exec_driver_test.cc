// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// raw_exec through the C interface, with real processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "driver_place.h"
#include "drover/drover_capabilities.h"
#include "fake_host.h"

namespace drover_test {
namespace {

namespace fs = std::filesystem;

class RawExecTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/drover-raw-exec-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    dir_ = name;
    fs::create_directories(dir_ / "task/local");
    ASSERT_NE(host_.Load(RAW_EXEC_SO), nullptr) << host_.log();
  }
  void TearDown() override { fs::remove_all(dir_); }

  void Create(const std::string& config = R"({"enabled":true})") {
    Result result = host_.Create(config);
    ASSERT_TRUE(result.ok()) << result.text();
  }

  Task NewTask(const std::string& config, int number = 1) {
    Task task;
    task.run = RunOf(number);
    task.id = "alloc/web/0000000" + std::to_string(number);
    task.task_dir = dir_ / "task";
    task.config = config;
    task.env = {{"PATH", "/usr/bin:/bin"}, {"NOMAD_TASK_NAME", "web"}};
    return task;
  }
  static std::string Shell(const std::string& script) {
    return R"({"command":"/bin/sh","args":["-c",")" + script + R"("]})";
  }
  Result StartError(const std::string& config) {
    return host_.Finish(host_.Start(NewTask(config)));
  }

  fs::path dir_;
  FakeHost host_;
};

TEST_F(RawExecTest, DescribesItself) {
  const drover_info* info = host_.driver()->info();
  EXPECT_EQ(std::string(info->name.data, info->name.size), "raw_exec");
  EXPECT_EQ(info->offers,
            DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS | DROVER_CAP_CAPABILITIES);
  EXPECT_EQ(info->needs, DROVER_NEEDS_PROCESS_SERVICE);
  EXPECT_EQ(info->fs_isolation, DROVER_FS_NONE);
}

TEST_F(RawExecTest, DisabledByDefault) {
  Create("{}");
  StreamLog log = host_.AwaitMessages(host_.Fingerprint(), 1);
  ASSERT_EQ(log.messages.size(), 1u);
  EXPECT_EQ(log.messages[0].health, DROVER_UNDETECTED);
  EXPECT_EQ(log.messages[0].description, "disabled");
  EXPECT_EQ(StartError(Shell("true")).text(), "raw_exec is disabled");
}

TEST_F(RawExecTest, LooksAtItselfEvery30Seconds) {
  if (!Place()->is_this_process()) GTEST_SKIP() << "a container has timers of its own";
  Create();
  host_.StopClock();
  host_.AwaitMessages(host_.Fingerprint(), 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(host_.AwaitTimer(30s)) << i;
    host_.Advance(30s);
  }
}

TEST_F(RawExecTest, ConfigureEnablesAndTellsIt) {
  Create("{}");
  std::uint64_t stream = host_.Fingerprint();
  host_.AwaitMessages(stream, 1);
  ASSERT_TRUE(host_.Finish(host_.Configure(R"({"enabled":true})")).ok());
  StreamLog log = host_.AwaitMessages(stream, 2);
  ASSERT_EQ(log.messages.size(), 2u);
  EXPECT_EQ(log.messages[1].health, DROVER_HEALTHY);
  EXPECT_EQ(log.messages[1].attributes["driver.raw_exec"], "true");
}

TEST_F(RawExecTest, BadPluginConfigurationIsRefused) {
  for (const char* text : {"1-", "5-2", "a", "-1", "4294967295", "1,,2", "0x10"}) {
    Result result = host_.Create(std::string(R"({"denied_host_uids":")") + text + "\"}");
    EXPECT_EQ(result.error.value_or(Failure{}).code, DROVER_E_INVALID_ARGUMENT) << text;
    EXPECT_NE(result.text().find("/denied_host_uids"), std::string::npos) << result.text();
  }
}

TEST_F(RawExecTest, RunsInTheTaskDirectoryWithExactlyItsEnvironment) {
  Create(R"({"enabled":true,"denied_envvars":["AWS_*"]})");
  Task task = NewTask(
      R"({"command":"sh","args":["-c","pwd; env | sort; echo err >&2; exit 7"],
          "denied_envvars":["*SECRET"],"oom_score_adj":100})");
  task.env["AWS_KEY"] = "x";
  task.env["MY_SECRET"] = "x";
  task.env["SECRETS"] = "kept";
  Result started = host_.Finish(host_.Start(task));
  ASSERT_TRUE(started.ok()) << started.text();
  EXPECT_NE(started.handle.find("\"pid\":" + std::to_string(host_.pid(task.run))),
            std::string::npos);
  Result waited = host_.Finish(host_.Wait(task.run));
  ASSERT_TRUE(waited.exit.has_value());
  EXPECT_EQ(waited.exit->exit_code, 7);
  EXPECT_EQ(waited.exit->signal, 0);
  host_.Finish(host_.Destroy(task.run, false));
  Map expected = {{"NOMAD_TASK_NAME", "web"}, {"PATH", "/usr/bin:/bin"}, {"SECRETS", "kept"}};
  EXPECT_EQ(host_.environment(task.run), expected);
  EXPECT_EQ(host_.work_dir(task.run), task.task_dir);
  EXPECT_EQ(host_.oom_score_adj(task.run), 100);
}

TEST_F(RawExecTest, RunsInTheDirectoryThatTheTaskChooses) {
  Create();
  Task task = NewTask(R"({"command":"sh","args":["-c","pwd"],"work_dir":"/usr"})");
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  host_.Finish(host_.Wait(task.run));
  EXPECT_EQ(host_.work_dir(task.run), "/usr");
}

TEST_F(RawExecTest, ValidatesTheTaskConfiguration) {
  Create();
  const std::string prefix = "failed driver config validation: ";
  EXPECT_EQ(StartError(R"({"command":"sh","oom_score_adj":-1})").text(),
            prefix + "oom_score_adj must not be negative");
  EXPECT_EQ(StartError(R"({"command":"sh","work_dir":"rel"})").text(),
            prefix + "work_dir must be an absolute path");
  EXPECT_EQ(
      StartError(R"({"command":"sh","cgroup_v2_override":"a","cgroup_v1_override":{"cpu":"b"}})")
          .text(),
      prefix + "only one of cgroups_v1_override and cgroups_v2_override may be set");
  EXPECT_EQ(StartError(R"({"command":"no-such-thing"})").text(),
            "binary \"no-such-thing\" could not be found");
  EXPECT_EQ(StartError(R"({"command":"../../../bin/sh"})").text(),
            "binary \"../../../bin/sh\" could not be found");
  EXPECT_EQ(StartError(R"({"command":""})").text(), "binary \"\" could not be found");
  EXPECT_FALSE(StartError("not json").ok());
}

TEST_F(RawExecTest, RefusesUsers) {
  Create(R"({"enabled":true,"denied_host_uids":"0-5","denied_host_gids":"65534"})");
  Task task = NewTask(R"({"command":"sh"})");
  task.user = "root";
  EXPECT_EQ(host_.Finish(host_.Start(task)).text(), "running as uid 0 is disallowed");
  task.user = "nobody";
  EXPECT_EQ(host_.Finish(host_.Start(task)).text(), "running as gid 65534 is disallowed");
  for (const char* user :
       {"no-such-user", "0day", "00", "065534", "4294967296", "-1", "4294967295"}) {
    task.user = user;
    std::string text = host_.Finish(host_.Start(task)).text();
    EXPECT_NE(text.find("unknown user " + std::string(user)), std::string::npos) << text;
  }
}

TEST_F(RawExecTest, KnowsTheUsersThatTheAgentGives) {
  Create(R"({"enabled":true,"dynamic_users":"81300-81309","denied_host_uids":"81309"})");
  Task task = NewTask(R"({"command":"sh"})");
  task.user = "81310";
  EXPECT_EQ(host_.Finish(host_.Start(task)).text(), "unknown user 81310");
  task.user = "81309";
  EXPECT_EQ(host_.Finish(host_.Start(task)).text(), "running as uid 81309 is disallowed");
  Task given = NewTask(R"({"command":"sh"})", 2);
  given.user = "81305";
  EXPECT_EQ(host_.Finish(host_.Start(given)).ok(), geteuid() == 0);
}

TEST_F(RawExecTest, FindsProgramsOfTheTaskFirst) {
  Create();
  std::ofstream(dir_ / "task/sh") << "#!/bin/sh\necho task\n";
  fs::permissions(dir_ / "task/sh", fs::perms(0640));
  Task task = NewTask(R"({"command":"sh","args":["-c","echo host"]})");
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  EXPECT_EQ(host_.argv(task.run)[0], dir_ / "task/sh");
  EXPECT_EQ(fs::status(dir_ / "task/sh").permissions(), fs::perms(0755)) << "0640 and 0555";
  std::ofstream(dir_ / "task/local/sh") << "#!/bin/sh\necho local\n";
  fs::permissions(dir_ / "task/local/sh", fs::perms(0400));
  Task second = NewTask(task.config, 2);
  ASSERT_TRUE(host_.Finish(host_.Start(second)).ok());
  EXPECT_EQ(host_.argv(second.run)[0], dir_ / "task/local/sh");
  EXPECT_EQ(fs::status(dir_ / "task/local/sh").permissions(), fs::perms(0555));
}

TEST_F(RawExecTest, NeverChangesModesOutsideOfTheTaskDirectory) {
  Create();
  fs::path victim = dir_ / "victim";
  std::ofstream(victim) << "secret";
  fs::permissions(victim, fs::perms(0600));
  fs::create_symlink(victim, dir_ / "task/local/link");
  fs::create_directory_symlink(dir_, dir_ / "task/local/up");
  fs::create_hard_link(victim, dir_ / "task/local/hard");
  ASSERT_EQ(mkfifo((dir_ / "task/local/fifo").c_str(), 0600), 0);
  for (const char* name : {"link", "up/victim", "hard", "fifo", "."}) {
    EXPECT_FALSE(StartError("{\"command\":\"" + std::string(name) + "\"}").ok()) << name;
  }
  EXPECT_EQ(fs::status(victim).permissions(), fs::perms(0600));
}

TEST_F(RawExecTest, SignalDeathIs128AndTheSignal) {
  Create();
  Task task = NewTask(Shell("exec sleep 100"));
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  std::uint64_t wait = host_.Wait(task.run);
  EXPECT_EQ(host_.Signal(task.run, "SIGTERM").code, 0);
  Result waited = host_.Finish(wait);
  ASSERT_TRUE(waited.exit.has_value());
  EXPECT_EQ(waited.exit->exit_code, 143);
  EXPECT_EQ(waited.exit->signal, SIGTERM);
}

TEST_F(RawExecTest, UnknownSignalsAreInterrupts) {
  Create();
  Task task = NewTask(Shell("exec sleep 100"));
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  EXPECT_EQ(host_.Signal(task.run, "SIGNONE").code, 0);
  EXPECT_EQ(host_.Finish(host_.Wait(task.run)).exit->signal, SIGINT);
  EXPECT_NE(host_.log().find("SIGNONE"), std::string::npos);
  EXPECT_EQ(host_.Signal(task.run, "SIGHUP").code, DROVER_E_FAILED_PRECONDITION);
  EXPECT_EQ(host_.Signal(RunOf(99), "SIGHUP").code, DROVER_E_NOT_FOUND);
}

TEST_F(RawExecTest, StopInterruptsThenKills) {
  Create();
  Task polite = NewTask(Shell("trap 'exit 5' INT; echo up; while :; do sleep 0.05; done"), 1);
  Task stubborn = NewTask(Shell("trap '' INT; echo up; while :; do sleep 0.05; done"), 2);
  for (const Task& task : {polite, stubborn}) {
    ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
    for (int i = 0; i < 500 && host_.output(task.run) != "up\n"; ++i) usleep(10000);
    Result bad = host_.Finish(host_.Stop(task.run, 1s, "SIGNONE"));
    EXPECT_EQ(bad.text(), "error unknown signal given for shutdown: SIGNONE");
    EXPECT_TRUE(host_.Finish(host_.Stop(task.run, 300ms)).ok());
  }
  EXPECT_EQ(host_.Finish(host_.Wait(polite.run)).exit->exit_code, 5);
  EXPECT_EQ(host_.Finish(host_.Wait(stubborn.run)).exit->signal, SIGKILL);
  EXPECT_TRUE(host_.Finish(host_.Stop(polite.run, 1s)).ok()) << "stopping again succeeds";
}

TEST_F(RawExecTest, AStopWithoutTimeKillsAtOnce) {
  Create();
  Task task = NewTask(Shell("trap 'exit 5' INT TERM; echo up; while :; do sleep 0.05; done"));
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  for (int i = 0; i < 500 && host_.output(task.run) != "up\n"; ++i) usleep(10000);
  EXPECT_TRUE(host_.Finish(host_.Stop(task.run, 0s)).ok());
  Exit exit = *host_.Finish(host_.Wait(task.run)).exit;
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_EQ(exit.exit_code, 137);
}

TEST_F(RawExecTest, AStopThatDoesNotEndFails15SecondsAfterTheKill) {
  if (!Place()->is_this_process()) GTEST_SKIP() << "a container has timers of its own";
  Create();
  host_.StopClock();
  Task task = NewTask(Shell("exec sleep 100"));
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  struct Case {
    const char* function;  // of the process service
    std::chrono::seconds timeout;
  } const kCases[] = {{"stop", 5s}, {"kill", 0s}};
  for (const Case& c : kCases) {
    host_.HoldNext(c.function);
    std::uint64_t stop = host_.Stop(task.run, c.timeout);
    ASSERT_TRUE(host_.AwaitTimer(c.timeout + 15s)) << c.function;
    host_.Advance(c.timeout + 15s - 1ns);
    EXPECT_FALSE(host_.Finish(stop, 0ms).complete);
    host_.Advance(1ns);
    Result late = host_.Finish(stop);
    ASSERT_TRUE(late.error.has_value()) << c.function;
    EXPECT_EQ(late.error->code, DROVER_E_TIMEOUT);
    EXPECT_EQ(late.text(), "the task has not ended 15 s after it was killed");
    host_.AnswerHeld();
    EXPECT_EQ(host_.completions(stop), 1) << "a later result changes nothing";
  }
}

TEST_F(RawExecTest, DestroyNeedsForceForARunningTask) {
  Create();
  Task task = NewTask(Shell("exec sleep 100"));
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  Result again = host_.Finish(host_.Start(task));
  EXPECT_EQ(again.text(), "task with ID \"alloc/web/00000001\" already started");
  EXPECT_EQ(host_.Finish(host_.Destroy(task.run, false)).text(), "cannot destroy running task");
  std::uint64_t wait = host_.Wait(task.run);
  EXPECT_TRUE(host_.Finish(host_.Destroy(task.run, true)).ok());
  EXPECT_TRUE(host_.Finish(wait).complete);
  EXPECT_EQ(host_.Finish(host_.Inspect(task.run)).error->code, DROVER_E_NOT_FOUND);
  EXPECT_EQ(host_.Finish(host_.Wait(task.run)).error->code, DROVER_E_NOT_FOUND);
}

TEST_F(RawExecTest, DestroyAfterAFailedStartSucceeds) {
  Create();
  Task task = NewTask(R"({"command":"no-such-thing"})");
  EXPECT_FALSE(host_.Finish(host_.Start(task)).ok());
  Result result = host_.Finish(host_.Destroy(task.run, true));
  EXPECT_TRUE(result.ok()) << result.text();
  host_.FailNext("start", Failure{DROVER_E_INTERNAL, false, "no shim"});
  EXPECT_EQ(StartError(Shell("true")).text(), "no shim");
  EXPECT_TRUE(host_.Finish(host_.Destroy(task.run, true)).ok());
}

TEST_F(RawExecTest, RecoversARunningTaskAndOneThatHasEnded) {
  Create();
  Task running = NewTask(Shell("exec sleep 100"), 1);
  Task ended = NewTask(Shell("exit 3"), 2);
  std::string handle = host_.Finish(host_.Start(running)).handle;
  ASSERT_TRUE(host_.Finish(host_.Start(ended)).ok());
  host_.Finish(host_.Wait(ended.run));
  std::uint64_t waiting = host_.Wait(running.run);
  ASSERT_TRUE(host_.Shutdown().ok());
  EXPECT_EQ(host_.Finish(waiting).error->code, DROVER_E_UNAVAILABLE);

  Create();
  Result again = host_.Finish(host_.Recover(running, &handle));
  ASSERT_TRUE(again.ok()) << again.text();
  EXPECT_EQ(again.state, DROVER_TASK_RUNNING);
  EXPECT_TRUE(host_.Finish(host_.Recover(running, &handle)).ok()) << "a known one succeeds";
  std::string garbage("\x00\xff garbage", 10);
  Result gone = host_.Finish(host_.Recover(ended, &garbage));
  ASSERT_TRUE(gone.ok()) << gone.text();
  EXPECT_EQ(gone.state, DROVER_TASK_EXITED);
  EXPECT_EQ(gone.exit->exit_code, 3);
  EXPECT_EQ(host_.Finish(host_.Recover(NewTask("{}", 3), nullptr)).error->code, DROVER_E_NOT_FOUND);
  Result status = host_.Finish(host_.Inspect(running.run));
  EXPECT_EQ(status.attributes["pid"], std::to_string(host_.pid(running.run)));
  EXPECT_TRUE(host_.Finish(host_.Stop(running.run, 5s)).ok());
  EXPECT_EQ(host_.Finish(host_.Wait(running.run)).exit->exit_code, 130);
}

TEST_F(RawExecTest, TwoRecoversAtTheSameTimeAreAnsweredAlike) {
  if (!Place()->is_this_process()) GTEST_SKIP() << "a container sends its calls later";
  Create();
  const Task task = NewTask(Shell("exec sleep 100"));
  const std::string handle = host_.Finish(host_.Start(task)).handle;
  ASSERT_TRUE(host_.Shutdown().ok());
  Create();
  const std::size_t before = host_.waits(task.run);
  host_.HoldAttaches(true);
  const std::uint64_t calls[] = {host_.Recover(task, &handle), host_.Recover(task, &handle)};
  host_.HoldAttaches(false);
  const Result first = host_.Finish(calls[0]), second = host_.Finish(calls[1]);
  for (const Result& recovered : {first, second}) {
    ASSERT_TRUE(recovered.ok()) << recovered.text();
    EXPECT_EQ(recovered.state, DROVER_TASK_RUNNING);
  }
  EXPECT_EQ(first.handle, second.handle);
  EXPECT_EQ(host_.waits(task.run), before + 1) << "only one of them awaits the end";
  EXPECT_TRUE(host_.Finish(host_.Stop(task.run, 5s)).ok());
  EXPECT_EQ(host_.Finish(host_.Wait(task.run)).exit->exit_code, 130);
}

TEST_F(RawExecTest, ALostSupervisorIsAnErrorOfTheResult) {
  Create();
  host_.FailNext("wait", Failure{DROVER_E_INTERNAL, false, "supervisor lost"});
  Task task = NewTask(Shell("exec sleep 100"));
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  Result waited = host_.Finish(host_.Wait(task.run));
  EXPECT_EQ(waited.exit->exit_code, -1);
  EXPECT_EQ(waited.exit->error, "executor: error waiting on process: supervisor lost");
}

TEST_F(RawExecTest, CgroupsOfTheOperatorAreTheServicesAffair) {
  Create();
  Task task =
      NewTask(R"({"command":"true","cgroup_v2_override":"apps/web","cgroup_v1_override":{}})");
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  EXPECT_EQ(host_.cgroup(task.run), "apps/web");
  EXPECT_EQ(host_.v1_cgroups(task.run), Map());
  task = NewTask(R"({"command":"true","cgroup_v1_override":{"cpu":"a","pids":"/b/c"}})", 2);
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  EXPECT_EQ(host_.cgroup(task.run), "");
  EXPECT_EQ(host_.v1_cgroups(task.run), (Map{{"cpu", "a"}, {"pids", "/b/c"}}));
}

TEST_F(RawExecTest, StatsNameTheProcessesWhenTheyAreAskedTo) {
  Create();
  Task task = NewTask(Shell("exec sleep 100"));
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  Failure error;
  StreamLog log = host_.AwaitMessages(host_.Stats(task.run, 20ms, &error), 1);
  ASSERT_GE(log.messages.size(), 1u);
  EXPECT_TRUE(log.messages[0].pids.empty());
  // Unknown bits of a later host are no error.
  const std::uint32_t flags = DROVER_STATS_PROCESSES | 1u << 31;
  log = host_.AwaitMessages(host_.Stats(task.run, 20ms, &error, flags), 1);
  ASSERT_GE(log.messages.size(), 1u);
  EXPECT_EQ(log.messages[0].pids, std::vector<int>{host_.pid(task.run)});
}

TEST_F(RawExecTest, StatsComeAtOnceAndEndWithTheStream) {
  Create();
  Task task = NewTask(Shell("exec sleep 100"));
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  Failure error;
  std::uint64_t stream = host_.Stats(task.run, 20ms, &error);
  StreamLog log = host_.AwaitMessages(stream, 3);
  ASSERT_GE(log.messages.size(), 3u);
  EXPECT_GT(log.messages[0].rss, 0u);
  EXPECT_EQ(log.messages[0].measured & DROVER_STAT_RSS, DROVER_STAT_RSS);
  host_.CancelStream(stream);
  EXPECT_EQ(host_.JoinStream(stream, 5s), DROVER_OK);
  std::size_t count = host_.stream(stream).messages.size();
  usleep(100000);
  EXPECT_EQ(host_.stream(stream).messages.size(), count);
  EXPECT_TRUE(host_.stream(stream).ended);
  host_.Stats(RunOf(9), 1s, &error);
  EXPECT_EQ(error.code, DROVER_E_NOT_FOUND);
}

TEST_F(RawExecTest, ExecPassesStreamsAndResult) {
  Create();
  Task task = NewTask(Shell("exec sleep 100"));
  ASSERT_TRUE(host_.Finish(host_.Start(task)).ok());
  int in[2], out[2], err[2];
  ASSERT_EQ(pipe2(in, O_CLOEXEC) + pipe2(out, O_CLOEXEC) + pipe2(err, O_CLOEXEC), 0);
  std::uint64_t id =
      host_.Exec(task.run, {"sh", "-c", "cat; echo no >&2; exit 43"}, false, in[0], out[1], err[1]);
  EXPECT_EQ(host_.Resize(id, 100, 50).code, 0);
  EXPECT_EQ(host_.Resize(12345, 100, 50).code, DROVER_E_NOT_FOUND);
  ASSERT_EQ(write(in[1], "hello", 5), 5);
  close(in[1]);
  Result result = host_.Finish(id);
  EXPECT_EQ(result.exit->exit_code, 43);
  char text[100];
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(read(out[0], text, 100))), "hello");
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(read(err[0], text, 100))), "no\n");
  EXPECT_EQ(read(out[0], text, 100), 0) << "every copy of the given descriptors is closed";
  close(out[0]);
  close(err[0]);
}

}  // namespace
}  // namespace drover_test
