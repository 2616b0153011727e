// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Drivers that do not answer. Their tasks still end in time, and nobody else waits for them.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <string>

#include "bench/proc_facts.h"
#include "host/base/gate.h"
#include "tests/load/census.h"

namespace drover::load {
namespace {

using bench::LocalAlloc;

constexpr Duration kKillTimeout = 500ms;
constexpr Duration kKillSlack = 100ms;
// The machine may be busy, so the fastest of several tries shows the speed of the host.
constexpr int kTries = 5;
constexpr int kOthers = 20;
constexpr double kMaxStartMs = 100;

bench::LocalNodeOptions WithStuck() {
  PluginConfig stuck;
  stuck.name = "stuck";
  stuck.file = DROVER_LOAD_STUCK;
  bench::LocalNodeOptions options;
  options.more_plugins.push_back(stuck);
  // Short, since the driver never answers.
  options.limits.shutdown = 1s;
  options.limits.destroy = 2s;
  options.limits.hold = 2s;
  options.limits.abandoned = 1s;
  return options;
}

std::string Forker(const std::string& what, const std::string& more) {
  return R"({"command": ")" DROVER_LOAD_FORKER R"(", "args": [")" + what + "\"]" + more + "}";
}

long LivingForkers() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  long count = 0;
  for (const bench::Descendant& d : bench::Descendants()) {
    if (d.name == "load_forker" && !d.zombie) ++count;
  }
  return count;
}

class StuckTest : public testing::Test {
 protected:
  bench::Scratch scratch_;
  const int subreaper_ = prctl(PR_SET_CHILD_SUBREAPER, 1);
  RealLoop loop_;
  bench::LocalNode node_{&loop_, scratch_, WithStuck()};
};

// Waits until there are COUNT of them.
Co<void> WaitForkers(Loop* loop, long count) {
  const Context context(loop);
  const TimePoint end = loop->Now() + 30s;
  while (LivingForkers() != count && loop->Now() < end) {
    const Status slept = co_await Sleep(context, 5ms);
    EXPECT_TRUE(slept.ok());
  }
  EXPECT_EQ(LivingForkers(), count);
}

// Stops a task of DRIVER that ignores signals, and measures the time until its processes are gone.
Co<void> StopUnheard(bench::LocalNode* node, std::string driver, std::string more,
                     std::vector<Duration>* times) {
  Task task = bench::MakeTask(driver, Forker("deaf", more));
  task.kill_timeout = kKillTimeout;
  const auto job = bench::MakeJob(std::move(task));
  LocalAlloc alloc(node, job);
  alloc.Start();
  const bool running = co_await alloc.WaitRunning();
  EXPECT_TRUE(running);
  co_await WaitForkers(node->loop(), 3);
  const TimePoint asked = node->loop()->Now();
  alloc.Stop();
  co_await WaitForkers(node->loop(), 0);
  times->push_back(node->loop()->Now() - asked);
  co_await alloc.runner()->WaitEnded();
  EXPECT_NE(alloc.EventTime(event_type::kKilled), 0);
  const Status finished = co_await alloc.Finish();
  EXPECT_TRUE(finished.ok()) << finished.error().message();
}

Duration Fastest(const std::vector<Duration>& times) {
  return *std::min_element(times.begin(), times.end());
}

// No task ends before the kill timeout, and none later than with a driver that answers. On a busy
// machine both are late.
void CheckTimes(const std::vector<Duration>& stuck, const std::vector<Duration>& good) {
  for (const Duration time : stuck) EXPECT_GE(time, kKillTimeout);
  EXPECT_LE(Fastest(stuck), std::max(kKillTimeout, Fastest(good)) + kKillSlack);
}

TEST_F(StuckTest, AStopThatIsNeverAnsweredKillsInTime) {
  std::vector<Duration> stuck, good;
  for (int i = 0; i < kTries; ++i) {
    ASSERT_TRUE(loop_.RunToEnd(StopUnheard(&node_, "raw_exec", "", &good)));
    ASSERT_TRUE(loop_.RunToEnd(StopUnheard(&node_, "stuck", "", &stuck)));
  }
  CheckTimes(stuck, good);
}

TEST_F(StuckTest, AStopThatHoldsItsThreadKillsInTime) {
  std::vector<Duration> stuck, good;
  ASSERT_TRUE(loop_.RunToEnd(StopUnheard(&node_, "raw_exec", "", &good)));
  ASSERT_TRUE(loop_.RunToEnd(StopUnheard(&node_, "stuck", R"(, "hold": true)", &stuck)));
  CheckTimes(stuck, good);
}

Co<void> RunOthers(bench::LocalNode* node, std::vector<double>* milliseconds) {
  const auto job = bench::MakeJob(bench::MakeTask("raw_exec", Forker("leave", "")));
  for (int i = 0; i < kOthers; ++i) {
    LocalAlloc alloc(node, job);
    alloc.Start();
    const Status finished = co_await alloc.Finish();
    EXPECT_TRUE(finished.ok());
    EXPECT_TRUE(alloc.record().Successful());
    milliseconds->push_back(static_cast<double>(alloc.record().started_at - alloc.started()) / 1e6);
  }
}

Co<void> WaitSetUp(LocalAlloc* alloc) {
  std::function<bool(const AllocState&)> begun = [alloc](const AllocState&) {
    return alloc->EventTime(event_type::kTaskSetup) != 0;
  };
  co_await alloc->WaitUntil(std::move(begun));
}

Co<void> ShutDown(LocalAlloc* alloc) { co_await alloc->runner()->Shutdown(); }

TEST_F(StuckTest, ADriverThatHangsInEveryCallDelaysNoOther) {
  std::vector<double> before, milliseconds;
  ASSERT_TRUE(loop_.RunToEnd(RunOthers(&node_, &before)));
  std::vector<std::unique_ptr<LocalAlloc>> hanging;
  for (const std::string call : {"wait", "stats", "start", "start", "start", "start"}) {
    const auto job = bench::MakeJob(
        bench::MakeTask("mock_driver", R"({"run_for": "1h", "hang_in": ")" + call + "\"}"));
    hanging.push_back(std::make_unique<LocalAlloc>(&node_, job));
    hanging.back()->Start();
    ASSERT_TRUE(loop_.RunToEnd(WaitSetUp(hanging.back().get())));
  }
  // All threads of the one driver are held. The other driver still starts and ends tasks.
  ASSERT_TRUE(loop_.RunToEnd(RunOthers(&node_, &milliseconds)));
  const double fastest_before = *std::min_element(before.begin(), before.end());
  EXPECT_LE(*std::min_element(milliseconds.begin(), milliseconds.end()),
            std::max(kMaxStartMs, 2 * fastest_before));
  for (std::size_t i = 2; i < hanging.size(); ++i) {
    EXPECT_EQ(hanging[i]->EventTime(event_type::kStarted), 0);
  }
  EXPECT_EQ(LivingForkers(), 0);
  for (const auto& alloc : hanging) ASSERT_TRUE(loop_.RunToEnd(ShutDown(alloc.get())));
}

}  // namespace
}  // namespace drover::load
