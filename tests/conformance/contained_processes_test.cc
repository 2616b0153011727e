// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver raw_exec in a process of its own, with supervisors and processes as in operation. It
// dies between the request and the reply of each call. No process of a task dies with it, runs
// twice or stays behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <functional>
#include <random>
#include <set>

#include "host/base/gate.h"
#include "host/base/seed_for_test.h"
#include "host/plugin/supervised_driver.h"
#include "tests/conformance/call_verb.h"
#include "tests/conformance/process_fixture.h"
#include "tests/conformance/stop_process.h"

namespace drover {
namespace {

#ifdef RAW_EXEC_SO

constexpr int kSteady = 3;
constexpr char kConfig[] = R"({"enabled": true})";

class ContainedProcessTest : public ProcessFixture {
 protected:
  ContainedProcessTest() {
    auto& limits = options_.limits;
    limits.hold = 1s;
    limits.relaunch_first = 10ms;
    limits.relaunch_last = 50ms;
    limits.abandoned = 10ms;
    Add("raw_exec", RAW_EXEC_SO);
    options_.plugins[0].config_json = kConfig;
    options_.plugins[0].isolation = "process";
  }

  // A task whose process writes its pid, each time that it starts.
  struct Witness {
    std::shared_ptr<const TaskConfig> task;
    std::string file;

    std::vector<pid_t> pids() const {
      std::ifstream lines(file);
      return {std::istream_iterator<pid_t>(lines), {}};
    }
    bool Lives() const { return pids().size() == 1 && kill(pids()[0], 0) == 0; }
    bool IsGone() const {
      for (const pid_t pid : pids()) {
        if (kill(pid, 0) == 0 || errno != ESRCH) return false;
      }
      return true;
    }
  };
  Witness NewWitness() {
    Witness made;
    made.file = directory_.path() + "/witness-" + std::to_string(++witnesses_);
    made.task = Script("echo $$ >> " + made.file + "; exec sleep 1000");
    return made;
  }
  Witness StartWitness() {
    Witness made = NewWitness();
    const Result<StartedTask> started = Await(contained()->Start(context_, made.task));
    EXPECT_TRUE(started.ok()) << started.error().message();
    EXPECT_TRUE(Until([&] { return made.Lives(); }));
    return made;
  }

  void Begin() {
    for (const PluginReport& report : Load()) ASSERT_EQ(report.message, "");
    Await(registry_->RestoreComplete(context_, "raw_exec", {}));
    for (int i = 0; i < kSteady; ++i) {
      const TimePoint began = BootClock::now();
      steady_.push_back(StartWitness());
      usual_start_ = BootClock::now() - began;
    }
  }
  SupervisedDriver* contained() { return registry_->FindContained("raw_exec"); }
  bool Healthy() {
    return contained()->fingerprint().health == Health::kHealthy && contained()->current() &&
           contained()->status().pid > 0 && contained()->status().pid != dead_;
  }

  void ExpectNobodyNoticed() {
    EXPECT_TRUE(Until([&] { return Healthy(); }, 20s))
        << contained()->fingerprint().description << ", process " << contained()->status().pid
        << " after " << dead_ << ", which is " << StateOf(dead_);
    for (const Witness& each : steady_) {
      EXPECT_TRUE(each.Lives());
      const Result<TaskStatus> status = Await(contained()->Inspect(context_, each.task->run_id));
      ASSERT_TRUE(status.ok()) << status.error().message();
      EXPECT_EQ(status->state, TaskState::kRunning);
    }
  }
  // The kernel's line about the process of that number.
  static std::string StateOf(pid_t pid) {
    std::string line;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), line);
    return line.empty() ? "gone" : line;
  }
  // Ends the task in any case.
  void Remove(const Witness& witness) {
    const Status gone = Await(contained()->Destroy(context_, witness.task->run_id, true));
    EXPECT_TRUE(gone.ok() || gone.code() == Code::kNotFound) << gone.error().message();
    EXPECT_TRUE(Until([&] { return witness.IsGone(); })) << "its process lives on";
    EXPECT_LE(witness.pids().size(), 1u) << "it was started twice";
  }
  void End() {
    for (const Witness& each : steady_) Remove(each);
  }

  std::vector<Witness> steady_;
  int witnesses_ = 0;
  Duration usual_start_{0};
  pid_t dead_ = 0;  // the last ended process; the host may not have noticed yet
};

// The ways in which the stopped process with the request of a call ends.
class DeathInCallTest : public ContainedProcessTest,
                        public testing::WithParamInterface<const char*> {
 protected:
  void Die(pid_t pid) {
    const std::string way = GetParam();
    if (way == "kill") kill(pid, SIGKILL);
    if (way == "segv") {
      kill(pid, SIGSEGV);
      kill(pid, SIGCONT);
    }
    // "hang": the host notices it by itself.
  }
};

TEST_P(DeathInCallTest, NoProcessNotices) {
  Begin();
  static const std::set<std::string> kElsewhere = {
      // The host calls these only in a new process: fault_matrix_test.cc.
      "create", "get_extension", "fingerprint", "events",
      // Nobody waits for these: fault_matrix_test.cc.
      "call_cancelled", "stream_cancel", "stream_join", "a timer's function",
      // A part of start: DeathInStartTest.
      "the end of a service",
      // The end of the host itself.
      "shutdown"};
  for (const std::string& verb : CalledFunctions()) {
    if (kElsewhere.count(verb) > 0) continue;
    SCOPED_TRACE(verb);
    const bool begun = verb != "start" && verb != "recover";
    const Witness victim = begun ? StartWitness() : NewWitness();
    const pid_t pid = contained()->status().pid;
    ASSERT_GT(pid, 0);
    dead_ = pid;
    bool stopped = false;
    std::function<void()> stop = [pid, &stopped] {
      kill(pid, SIGSTOP);
      const TimePoint end = BootClock::now() + 5s;
      while (!stopped && BootClock::now() < end) stopped = HasStopped(pid);
    };
    bool over = false;
    Status said;
    Gate calling(&loop_);
    const auto call = [](SupervisedDriver* driver, std::string name, Context context,
                         std::shared_ptr<const TaskConfig> task, std::function<void()> ready,
                         Status* to, bool* flag) -> Co<void> {
      *to = co_await CallVerb(driver, name, context, task, 2s, std::move(ready), kConfig);
      *flag = true;
    };
    calling.Spawn(call(contained(), verb, context_, victim.task, stop, &said, &over));
    ASSERT_TRUE(Until([&stopped] { return stopped; }));
    EXPECT_FALSE(Until([&over] { return over; }, 20ms))
        << said.error().message();  // its request is on its way
    Die(pid);
    EXPECT_TRUE(Until([&over] { return over; }, 20s));
    Await(calling.Close());
    ExpectNobodyNoticed();
    Remove(victim);
  }
  End();
}

const auto kWay = [](const testing::TestParamInfo<const char*>& info) {
  return std::string(info.param);
};
INSTANTIATE_TEST_SUITE_P(Short, DeathInCallTest, testing::Values("kill"), kWay);
INSTANTIATE_TEST_SUITE_P(Long, DeathInCallTest, testing::Values("segv", "hang"), kWay);

// The process dies at any moment of a start: before the request, after the task's process was made
// and before its report, after the reply. Either the task runs, once, or the start has failed and
// has left nothing.
class DeathInStartTest : public ContainedProcessTest, public testing::WithParamInterface<int> {};

TEST_P(DeathInStartTest, RunsItOnceOrNotAtAll) {
  Begin();
  const std::uint64_t seed = FirstSeed();
  SCOPED_TRACE(HowToRepeat(seed));
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  int started = 0;
  for (int round = 0; round < GetParam(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_TRUE(Until([&] { return Healthy(); }, 20s));
    const Witness victim = NewWitness();
    const pid_t pid = contained()->status().pid;
    Status said;
    bool over = false;
    Gate starting(&loop_);
    const auto start = [](SupervisedDriver* driver, Context context,
                          std::shared_ptr<const TaskConfig> task, Status* to,
                          bool* flag) -> Co<void> {
      const Result<StartedTask> result = co_await driver->Start(context, task);
      if (!result.ok()) *to = result.error();
      *flag = true;
    };
    starting.Spawn(start(contained(), context_, victim.task, &said, &over));
    const TimePoint when = BootClock::now() + random() % 20 * usual_start_ / 10;
    (void)Until([&] { return BootClock::now() >= when; });
    dead_ = pid;
    kill(pid, SIGKILL);
    EXPECT_TRUE(Until([&over] { return over; }, 20s));
    Await(starting.Close());
    if (said.ok()) {
      ++started;
      EXPECT_TRUE(Until([&] { return victim.Lives(); })) << "a task that was started";
    }
    ExpectNobodyNoticed();
    Remove(victim);
  }
  std::printf("%d of %d starts have succeeded, seed %llu\n", started, GetParam(),
              static_cast<unsigned long long>(seed));
  EXPECT_GT(started, 0);
  End();
}

const auto kRounds = [](const testing::TestParamInfo<int>& info) {
  return std::to_string(info.param);
};
INSTANTIATE_TEST_SUITE_P(Short, DeathInStartTest, testing::Values(20), kRounds);
INSTANTIATE_TEST_SUITE_P(Long, DeathInStartTest, testing::Values(500), kRounds);

#endif

}  // namespace
}  // namespace drover
