// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// mock_driver through the C interface.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>

#include "driver_place.h"
#include "drover/drover_capabilities.h"
#include "drover/drover_news.h"
#include "drover/drover_pause.h"
#include "fake_host.h"

namespace drover_test {
namespace {

class MockDriverTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(host_.Load(MOCK_DRIVER_SO), nullptr) << host_.log(); }

  void Create(const std::string& config = "{}") {
    Result result = host_.Create(config);
    ASSERT_TRUE(result.ok()) << result.text();
  }
  static Task NewTask(const std::string& config, int number = 1) {
    Task task;
    task.run = RunOf(number);
    task.config = config;
    return task;
  }
  Result Start(const std::string& config, int number = 1) {
    return host_.Finish(host_.Start(NewTask(config, number)));
  }
  Exit WaitFor(int number = 1) {
    Result result = host_.Finish(host_.Wait(RunOf(number)));
    return result.exit.value_or(Exit{-100, 0, false, result.text()});
  }

  FakeHost host_;
};

TEST_F(MockDriverTest, DescribesItself) {
  const drover_info* info = host_.driver()->info();
  EXPECT_EQ(std::string(info->name.data, info->name.size), "mock_driver");
  EXPECT_EQ(info->offers, DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS |
                              DROVER_CAP_HOSTNAME | DROVER_CAP_DNS | DROVER_CAP_CAPABILITIES |
                              DROVER_CAP_PAUSE | DROVER_CAP_NEWS);
  EXPECT_EQ(info->needs, 0u);
  EXPECT_EQ(info->fs_isolation, DROVER_FS_NONE);
}

TEST_F(MockDriverTest, LooksAtItselfTwiceASecond) {
  if (!Place()->is_this_process()) GTEST_SKIP() << "a container has timers of its own";
  Create();
  host_.StopClock();
  host_.AwaitMessages(host_.Fingerprint(), 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(host_.AwaitTimer(500ms)) << i;
    host_.Advance(500ms);
  }
}

TEST_F(MockDriverTest, EndsAtOnceByDefaultAndMayBeAskedAgain) {
  Create();
  ASSERT_TRUE(Start(R"({"exit_code":3,"exit_signal":9,"exit_err_msg":"odd"})").ok());
  for (int i = 0; i < 2; ++i) {
    Exit exit = WaitFor();
    EXPECT_EQ(exit.exit_code, 3);
    EXPECT_EQ(exit.signal, 9);
    EXPECT_EQ(exit.error, "odd");
  }
  Result status = host_.Finish(host_.Inspect(RunOf(1)));
  EXPECT_EQ(status.state, DROVER_TASK_EXITED);
  EXPECT_GE(status.completed_at, status.started_at);
  EXPECT_TRUE(host_.Finish(host_.Destroy(RunOf(1), false)).ok());
  EXPECT_EQ(host_.Finish(host_.Wait(RunOf(1))).error->code, DROVER_E_NOT_FOUND);
}

TEST_F(MockDriverTest, RunsForItsTime) {
  Create();
  auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(Start(R"({"run_for":"150ms"})").ok());
  EXPECT_EQ(host_.Finish(host_.Inspect(RunOf(1))).state, DROVER_TASK_RUNNING);
  WaitFor();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 150ms);
}

TEST_F(MockDriverTest, RefusesBadDurationsAndPorts) {
  Create();
  struct Case {
    const char* config;
    const char* prefix;
  } const kCases[] = {
      {R"({"run_for":"10"})", "run_for 10 not a valid duration: "},
      {R"({"run_for":"-1s"})", "run_for -1s not a valid duration: "},
      {R"({"run_for":"1x"})", "run_for 1x not a valid duration: "},
      {R"({"run_for":"s"})", "run_for s not a valid duration: "},
      {R"({"run_for":"1s "})", "run_for 1s  not a valid duration: "},
      {R"({"run_for":"99999999h"})", "run_for 99999999h not a valid duration: "},
      {R"({"start_block_for":"z"})", "start_block_for z not a valid duration: "},
      {R"({"stdout_repeat_duration":"1"})", "stdout_repeat_duration 1 not a valid duration: "},
      {R"({"driver_port_map":"web"})", "malformed port map \"web\""},
      {R"({"driver_port_map":"web:x"})", "malformed port map \"web:x\""},
      {R"({"driver_port_map":":80"})", "malformed port map \":80\""},
  };
  for (const Case& c : kCases) {
    Result result = Start(c.config);
    EXPECT_EQ(result.text().find(c.prefix), 0u) << c.config << ": " << result.text();
  }
  for (const char* good : {"1h30m", "1.5s", "100ms", "5us", "7ns", "0", ""}) {
    EXPECT_TRUE(Start(std::string(R"({"run_for":")") + good + "\"}").ok()) << good;
    EXPECT_TRUE(host_.Finish(host_.Destroy(RunOf(1), true)).ok());
  }
  // Accepted without effect: the driver does not even read it.
  EXPECT_TRUE(Start(R"({"kill_after":"nonsense"})", 2).ok());
}

TEST_F(MockDriverTest, StartErrors) {
  Create();
  Result plain = Start(R"({"start_error":"no"})");
  EXPECT_EQ(plain.text(), "no");
  EXPECT_FALSE(plain.error->recoverable);
  Result again = Start(R"({"start_error":"later","start_error_recoverable":true})");
  EXPECT_TRUE(again.error->recoverable);
  EXPECT_EQ(host_.Finish(host_.Destroy(RunOf(1), true)).error->code, DROVER_E_NOT_FOUND);
}

TEST_F(MockDriverTest, StopYieldsTheConfiguredResultAtOnce) {
  Create();
  ASSERT_TRUE(Start(R"({"run_for":"1h","exit_code":4,"kill_after":"1h"})").ok());
  EXPECT_EQ(host_.Finish(host_.Destroy(RunOf(1), false)).text(), "cannot destroy running task");
  EXPECT_TRUE(host_.Finish(host_.Stop(RunOf(1), 1h, "SIGWHAT"), 2s).ok());
  EXPECT_EQ(WaitFor().exit_code, 4);
  ASSERT_TRUE(Start(R"({"run_for":"1h","exit_signal":3,"exit_err_msg":"odd"})", 2).ok());
  EXPECT_TRUE(host_.Finish(host_.Stop(RunOf(2), 0s), 2s).ok());
  EXPECT_EQ(WaitFor(2).signal, 3);
  EXPECT_EQ(WaitFor(2).error, "odd");
}

TEST_F(MockDriverTest, AStartThatIsHeldUpSucceedsInTheEnd) {
  Create();
  auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(Start(R"({"start_block_for":"50ms","run_for":"1h"})").ok());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);
  EXPECT_EQ(host_.Finish(host_.Inspect(RunOf(1))).state, DROVER_TASK_RUNNING);
}

TEST_F(MockDriverTest, AnInstanceHasTheIsolationOfItsConfiguration) {
  const std::pair<const char*, int> kinds[] = {
      {"chroot", DROVER_FS_CHROOT}, {"image", DROVER_FS_IMAGE}, {"none", -1}, {"", -1}};
  for (const auto& [name, isolation] : kinds) {
    Result result = host_.Create(std::string(R"({"fs_isolation":")") + name + "\"}");
    ASSERT_TRUE(result.ok()) << result.text();
    EXPECT_EQ(result.instance_isolation, isolation) << name << ": -1 is that of the library";
    EXPECT_EQ(result.instance_name, isolation < 0 ? "" : "mock_driver");
    ASSERT_TRUE(host_.Shutdown().ok());
  }
  EXPECT_EQ(host_.Create(R"({"fs_isolation":"unveil"})").text(),
            "/fs_isolation: \"unveil\" is not known: write none, chroot or image");
  Create(R"({"fs_isolation":"image"})");
  EXPECT_TRUE(host_.Finish(host_.Configure(R"({"fs_isolation":"image"})")).ok());
  EXPECT_EQ(host_.Finish(host_.Configure("{}")).text(),
            "/fs_isolation cannot change while the plugin is loaded: restart the agent");
}

TEST_F(MockDriverTest, SaysItsOutput) {
  Create();
  ASSERT_TRUE(Start(R"({"stdout_string":"a\n","stdout_repeat":2,"stdout_repeat_duration":"20ms",
                        "stderr_string":"b\n","stderr_repeat":1,
                        "stderr_repeat_duration":"10ms"})")
                  .ok());
  auto begin = std::chrono::steady_clock::now();
  WaitFor();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 30ms) << "the end waits for the output";
  for (int i = 0; i < 200 && host_.output(RunOf(1)) != "a\na\na\n"; ++i) usleep(10000);
  EXPECT_EQ(host_.output(RunOf(1)), "a\na\na\n");
  EXPECT_EQ(host_.error_output(RunOf(1)), "b\nb\n");
}

TEST_F(MockDriverTest, AKillEndsTheOutput) {
  Create();
  ASSERT_TRUE(
      Start(R"({"stdout_string":"a","stdout_repeat":1000,"stdout_repeat_duration":"1h"})").ok());
  EXPECT_TRUE(host_.Finish(host_.Stop(RunOf(1), 0s), 2s).ok());
}

TEST_F(MockDriverTest, TellsItsNetwork) {
  Create();
  Result result =
      Start(R"({"driver_ip":"10.0.0.1","driver_advertise":true,"driver_port_map":"web:8080"})");
  EXPECT_EQ(result.network_ip, "10.0.0.1");
  EXPECT_TRUE(result.network_advertise);
  EXPECT_EQ(result.network_ports["web"], 8080);
}

TEST_F(MockDriverTest, RecoversWithTheTimeThatIsLeft) {
  Create();
  std::string handle = Start(R"({"run_for":"1h","exit_code":2})").handle;
  const std::string fresh = Start(R"({"run_for":"1h"})", 4).handle;
  ASSERT_TRUE(host_.Shutdown().ok());
  // The handle of a task that was started almost an hour ago.
  std::string::size_type at = handle.find("\"started_at\":");
  ASSERT_NE(at, std::string::npos) << handle;
  at += std::strlen("\"started_at\":");
  const std::string::size_type end = handle.find_first_not_of("0123456789", at);
  const std::int64_t started = std::stoll(handle.substr(at, end - at));
  constexpr std::int64_t kAlmost = (3600 - 2) * 1'000'000'000LL;
  handle.replace(at, end - at, std::to_string(started - kAlmost));
  Create();
  Task task = NewTask(R"({"run_for":"1h","exit_code":2})");
  Result recovered = host_.Finish(host_.Recover(task, &handle));
  ASSERT_TRUE(recovered.ok()) << recovered.text();
  EXPECT_EQ(WaitFor().exit_code, 2) << "it ends in 2 s, not in an hour";
  recovered = host_.Finish(host_.Recover(NewTask(R"({"run_for":"1h"})", 4), &fresh));
  ASSERT_TRUE(recovered.ok()) << recovered.text();
  EXPECT_EQ(recovered.state, DROVER_TASK_RUNNING);
  EXPECT_EQ(host_.Finish(host_.Recover(NewTask("{}", 2), nullptr)).error->code, DROVER_E_NOT_FOUND);
  std::string garbage = "{\"x\"";
  EXPECT_EQ(host_.Finish(host_.Recover(NewTask("{}", 3), &garbage)).error->code,
            DROVER_E_INVALID_ARGUMENT);
}

TEST_F(MockDriverTest, FingerprintAndPeriodicShutdown) {
  Create(R"({"shutdown_periodic_after":true,"shutdown_periodic_duration":1})");
  std::uint64_t stream = host_.Fingerprint();
  StreamLog log = host_.AwaitMessages(stream, 2);
  ASSERT_EQ(log.messages.size(), 2u);
  EXPECT_EQ(log.messages[0].health, DROVER_HEALTHY);
  EXPECT_EQ(log.messages[0].attributes["driver.mock_driver"], "true");
  EXPECT_EQ(log.messages[1].health, DROVER_UNDETECTED);
  EXPECT_EQ(log.messages[1].description, "disabled");
  host_.CancelStream(stream);
  EXPECT_EQ(host_.JoinStream(stream, 2s), DROVER_OK);
  EXPECT_EQ(host_.JoinStream(4711, 0s), DROVER_OK) << "an unknown stream has ended";
}

TEST_F(MockDriverTest, PluginExitIsAnErrorOfTheWait) {
  Create();
  ASSERT_TRUE(Start(R"({"run_for":"1h","plugin_exit_after":"20ms"})").ok());
  Result waited = host_.Finish(host_.Wait(RunOf(1)));
  ASSERT_TRUE(waited.error.has_value());
  EXPECT_EQ(waited.error->code, DROVER_E_UNAVAILABLE);
  EXPECT_EQ(host_.Finish(host_.Inspect(RunOf(1))).state, DROVER_TASK_RUNNING);
}

TEST_F(MockDriverTest, SignalError) {
  Create();
  ASSERT_TRUE(Start(R"({"run_for":"1h","signal_error":"deaf"})").ok());
  EXPECT_EQ(host_.Signal(RunOf(1), "SIGHUP").message, "deaf");
  ASSERT_TRUE(Start(R"({"run_for":"1h"})", 2).ok());
  EXPECT_EQ(host_.Signal(RunOf(2), "SIGHUP").code, DROVER_OK);
}

TEST_F(MockDriverTest, StatsFaults) {
  Create();
  Failure error;
  ASSERT_TRUE(Start(R"({"run_for":"1h","stats_unimplemented":true})", 1).ok());
  host_.Stats(RunOf(1), 10ms, &error);
  EXPECT_EQ(error.code, DROVER_E_UNIMPLEMENTED);
  ASSERT_TRUE(
      Start(R"({"run_for":"1h","stats_error":"x","stats_error_recoverable":true})", 2).ok());
  host_.Stats(RunOf(2), 10ms, &error);
  EXPECT_EQ(error.message, "x");
  EXPECT_TRUE(error.recoverable);
  ASSERT_TRUE(Start(R"({"run_for":"1h","stats_close_after":2,"stats_late_message":true})", 3).ok());
  std::uint64_t stream = host_.Stats(RunOf(3), 10ms, &error);
  for (int i = 0; i < 200 && host_.stream(stream).after_end == 0; ++i) usleep(10000);
  StreamLog log = host_.stream(stream);
  EXPECT_EQ(log.messages.size(), 3u);
  EXPECT_TRUE(log.ended);
  EXPECT_FALSE(log.error.has_value());
  EXPECT_EQ(log.after_end, 1) << "the late message";
}

TEST_F(MockDriverTest, OneSampleOfMemoryOnAStreamThatStaysOpen) {
  if (!Place()->is_this_process()) GTEST_SKIP() << "a container has timers of its own";
  Create();
  host_.StopClock();
  ASSERT_TRUE(Start(R"({"run_for":"1h"})").ok());
  Failure error;
  std::uint64_t stream = host_.Stats(RunOf(1), 10ms, &error);
  EXPECT_TRUE(host_.AwaitTimer(365 * 24h)) << "when the next one would be due";
  StreamLog log = host_.stream(stream);
  EXPECT_FALSE(log.ended);
  ASSERT_EQ(log.messages.size(), 1u);
  EXPECT_EQ(log.messages[0].measured, DROVER_STAT_RSS);
  EXPECT_TRUE(log.messages[0].pids.empty());
  host_.CancelStream(stream);
  EXPECT_EQ(host_.JoinStream(stream, 5s), DROVER_OK);
}

TEST_F(MockDriverTest, LateMessagesAfterTheStreamWasCancelled) {
  Create();
  ASSERT_TRUE(
      Start(R"({"run_for":"1h","stats_each_interval":true,"stats_late_message":true})").ok());
  Failure error;
  std::uint64_t stream = host_.Stats(RunOf(1), 10ms, &error);
  host_.AwaitMessages(stream, 2);
  host_.CancelStream(stream);
  EXPECT_EQ(host_.JoinStream(stream, 5s), DROVER_OK);
  for (int i = 0; i < 500 && host_.stream(stream).after_end < 2; ++i) usleep(10000);
  EXPECT_GE(host_.stream(stream).after_end, 2) << "with the cancellation and after the join";
}

TEST_F(MockDriverTest, AStreamEndsWhenTheHostSaysSoInSend) {
  Create();
  ASSERT_TRUE(Start(R"({"run_for":"1h","stats_each_interval":true})").ok());
  host_.StopStreamsAfter(2);
  Failure error;
  std::uint64_t stream = host_.Stats(RunOf(1), 10ms, &error);
  EXPECT_EQ(host_.JoinStream(stream, 5s), DROVER_OK);
  StreamLog log = host_.stream(stream);
  EXPECT_EQ(log.messages.size(), 2u);
  EXPECT_EQ(log.after_end, 0);
}

TEST_F(MockDriverTest, ExecCommands) {
  Create();
  ASSERT_TRUE(Start(R"({"run_for":"1h"})", 1).ok());
  EXPECT_EQ(host_.Finish(host_.Exec(RunOf(1), {"x"}, false, -1, -1, -1)).text(),
            "no exec command is configured");
  int in[2], out[2];
  ASSERT_EQ(pipe2(in, O_CLOEXEC) + pipe2(out, O_CLOEXEC), 0);
  std::uint64_t show = host_.Exec(RunOf(1), {"showinput"}, true, in[0], out[1], -1);
  ASSERT_EQ(write(in[1], "hello", 5), 5);
  close(in[1]);
  EXPECT_EQ(host_.Finish(show).exit->exit_code, 0);
  char text[200];
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(read(out[0], text, 200))),
            "TTY: true\nStdin:\nhello\n");
  close(out[0]);
  ASSERT_TRUE(Start(R"({"run_for":"1h","exec_command":{"run_for":"10ms","exit_code":5,
                "stdout_string":"out","stderr_string":"err"}})",
                    2)
                  .ok());
  int err[2];
  ASSERT_EQ(pipe2(out, O_CLOEXEC) + pipe2(err, O_CLOEXEC), 0);
  EXPECT_EQ(host_.Finish(host_.Exec(RunOf(2), {"x"}, false, -1, out[1], err[1])).exit->exit_code,
            5);
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(read(out[0], text, 200))), "out");
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(read(err[0], text, 200))), "err");
  EXPECT_EQ(read(out[0], text, 200), 0);
  close(out[0]);
  close(err[0]);
  ASSERT_TRUE(Start(R"({"run_for":"1h","exec_command":{"exit_signal":9,"exit_err_msg":"odd",
                "stdout_string":"x","stdout_repeat":2,"stdout_repeat_duration":"1ms"}})",
                    3)
                  .ok());
  ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
  Result end = host_.Finish(host_.Exec(RunOf(3), {"x"}, false, -1, out[1], -1));
  EXPECT_EQ(end.exit->signal, 9);
  EXPECT_EQ(end.exit->error, "odd");
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(read(out[0], text, 200))), "xxx");
  close(out[0]);
}

TEST_F(MockDriverTest, AThousandBlockedStartsNeedNoThreads) {
  Create();
  std::vector<std::uint64_t> calls;
  for (int i = 0; i < 1000; ++i) {
    calls.push_back(host_.Start(NewTask(R"({"start_block_for":"1h"})", i)));
  }
  auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  EXPECT_LE(std::distance(begin(tasks), end(tasks)), 32);
  EXPECT_EQ(host_.completions(calls[0]), 0);
  host_.CancelCall(calls[7]);
  EXPECT_EQ(host_.Finish(calls[7]).error->code, DROVER_E_CANCELLED);
  EXPECT_EQ(host_.Finish(host_.Destroy(RunOf(7), true)).error->code, DROVER_E_NOT_FOUND);
  ASSERT_TRUE(host_.Shutdown().ok());
  for (std::uint64_t call : calls) {
    EXPECT_TRUE(host_.Finish(call, 0s).error.has_value());
    EXPECT_EQ(host_.completions(call), 1);
  }
}

TEST_F(MockDriverTest, FaultsOfCalls) {
  EXPECT_EQ(host_.Create(R"({"fail_in":"create"})").text(), "mock failure in create");
  Create(R"({"fail_in":"configure,restore_complete,fingerprint"})");
  EXPECT_EQ(host_.Finish(host_.RestoreComplete({RunOf(1)})).text(),
            "mock failure in restore_complete");
  EXPECT_EQ(host_.Finish(host_.Configure("{}")).text(), "mock failure in configure");
  StreamLog log = host_.AwaitMessages(host_.Fingerprint(), 1);
  EXPECT_EQ(log.messages[0].health, DROVER_UNHEALTHY);
  EXPECT_EQ(Start(R"({"fail_in":"start"})").text(), "mock failure in start");
  ASSERT_TRUE(Start(R"({"run_for":"1h","silent_in":"stop","fail_in":"inspect"})").ok());
  std::uint64_t stop = host_.Stop(RunOf(1), 0s);
  EXPECT_FALSE(host_.Finish(stop, 50ms).complete);
  EXPECT_EQ(host_.Finish(host_.Inspect(RunOf(1))).text(), "mock failure in inspect");
  ASSERT_TRUE(host_.Shutdown().ok());
  EXPECT_TRUE(host_.Finish(stop).error.has_value()) << "shutdown completes what is open";
}

const char* const kVerbs[] = {"create",  "fingerprint", "configure", "restore_complete",
                              "start",   "recover",     "inspect",   "signal",
                              "stats",   "exec",        "stop",      "wait",
                              "destroy", "shutdown"};

// Makes every call of a driver with this configuration, prints each name, and ends the process.
[[noreturn]] void CallAll(const std::string& config) {
  signal(SIGSEGV, SIG_DFL);  // a sanitizer would report it and exit
  const auto call = [](const char* verb) { fprintf(stderr, "called %s\n", verb); };
  FakeHost host;
  host.Load(MOCK_DRIVER_SO);
  call("create");
  host.Create(config);
  call("fingerprint");
  host.AwaitMessages(host.Fingerprint(), 1);
  call("configure");
  host.Finish(host.Configure(config));
  call("restore_complete");
  host.Finish(host.RestoreComplete({}));
  Task task;
  task.run = RunOf(1);
  task.config = R"({"run_for":"1h"})";
  call("start");
  host.Finish(host.Start(task));
  call("recover");
  host.Finish(host.Recover(task, nullptr));
  call("inspect");
  host.Finish(host.Inspect(task.run));
  call("signal");
  host.Signal(task.run, "SIGHUP");
  call("stats");
  Failure failure;
  host.AwaitMessages(host.Stats(task.run, 1s, &failure), 1);
  const auto null = [] { return open("/dev/null", O_RDWR | O_CLOEXEC); };
  call("exec");
  host.Finish(host.Exec(task.run, {"x"}, false, null(), null(), null()));
  call("stop");
  host.Finish(host.Stop(task.run, 0s));
  call("wait");
  host.Finish(host.Wait(task.run));
  call("destroy");
  host.Finish(host.Destroy(task.run, true));
  call("shutdown");
  host.Shutdown();
  _exit(0);
}

TEST_F(MockDriverTest, CrashesAndHangsOnDemand) {
  if (!Place()->is_this_process()) GTEST_SKIP() << "see fault_matrix_test.cc";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* verb : kVerbs) {
    EXPECT_EXIT(CallAll(std::string(R"({"crash_in":")") + verb + "\"}"),
                testing::KilledBySignal(SIGSEGV), std::string("called ") + verb + "\n$");
  }
  EXPECT_EXIT(CallAll("{}"), testing::ExitedWithCode(0), "called shutdown\n$");
  EXPECT_EXIT(
      {
        FakeHost host;
        host.Load(MOCK_DRIVER_SO);
        host.Create("{}");
        alarm(1);
        host.Start(NewTask(R"({"hang_in":"start"})"));
      },
      testing::KilledBySignal(SIGALRM), "");
}

}  // namespace
}  // namespace drover_test
