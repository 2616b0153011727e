// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Drivers that do not answer: their tasks end in time all the same, and nobody else waits for them.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>

#include "bench/proc_facts.h"
#include "host/base/gate.h"
#include "tests/load/census.h"

namespace drover::load {
namespace {

using bench::LocalAlloc;

constexpr Duration kKillTimeout = 500ms;
constexpr Duration kKillSlack = 100ms;
// The machine may be busy with something else; the fastest of some tells what the host can do.
constexpr int kTries = 5;
constexpr int kOthers = 20;
constexpr double kMaxStartMs = 100;

bench::LocalNodeOptions WithStuck() {
  PluginConfig stuck;
  stuck.name = "stuck";
  stuck.file = DROVER_LOAD_STUCK;
  bench::LocalNodeOptions options;
  options.more_plugins.push_back(stuck);
  // Of a driver that never answers the end is not worth waiting for.
  options.limits.shutdown = 1s;
  options.limits.destroy = 2s;
  options.limits.hold = 2s;
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

// Stops a task that hears no signal of a driver that does not answer; how long until its processes
// were gone.
Co<void> StopUnheard(bench::LocalNode* node, std::string more, std::vector<Duration>* times) {
  Task task = bench::MakeTask("stuck", Forker("deaf", more));
  task.kill_timeout = kKillTimeout;
  const auto job = bench::MakeJob(std::move(task));
  LocalAlloc alloc(node, job);
  alloc.Start();
  const bool running = co_await alloc.WaitRunning();
  EXPECT_TRUE(running);
  EXPECT_EQ(LivingForkers(), 3);
  const TimePoint asked = node->loop()->Now();
  alloc.Stop();
  const Context context(node->loop());
  while (LivingForkers() > 0 && node->loop()->Now() < asked + 30s) {
    const Status slept = co_await Sleep(context, 5ms);
    EXPECT_TRUE(slept.ok());
  }
  times->push_back(node->loop()->Now() - asked);
  co_await alloc.runner()->WaitEnded();
  EXPECT_NE(alloc.EventTime(event_type::kKilled), 0);
  const Status finished = co_await alloc.Finish();
  EXPECT_TRUE(finished.ok()) << finished.error().message();
}

void CheckTimes(const std::vector<Duration>& times) {
  for (const Duration time : times) EXPECT_GE(time, kKillTimeout);
  EXPECT_LE(*std::min_element(times.begin(), times.end()), kKillTimeout + kKillSlack);
}

TEST_F(StuckTest, AStopThatIsNeverAnsweredKillsInTime) {
  std::vector<Duration> times;
  for (int i = 0; i < kTries; ++i) {
    ASSERT_TRUE(loop_.RunToEnd(StopUnheard(&node_, "", &times)));
  }
  CheckTimes(times);
}

TEST_F(StuckTest, AStopThatHoldsItsThreadKillsInTime) {
  std::vector<Duration> times;
  ASSERT_TRUE(loop_.RunToEnd(StopUnheard(&node_, R"(, "hold": true)", &times)));
  CheckTimes(times);
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
  std::vector<std::unique_ptr<LocalAlloc>> hanging;
  for (const std::string call : {"wait", "stats", "start", "start", "start", "start"}) {
    const auto job = bench::MakeJob(
        bench::MakeTask("mock_driver", R"({"run_for": "1h", "hang_in": ")" + call + "\"}"));
    hanging.push_back(std::make_unique<LocalAlloc>(&node_, job));
    hanging.back()->Start();
    ASSERT_TRUE(loop_.RunToEnd(WaitSetUp(hanging.back().get())));
  }
  // Every thread of the one driver is held; the other starts and ends what it is given.
  std::vector<double> milliseconds;
  ASSERT_TRUE(loop_.RunToEnd(RunOthers(&node_, &milliseconds)));
  EXPECT_LE(*std::min_element(milliseconds.begin(), milliseconds.end()), kMaxStartMs);
  for (std::size_t i = 2; i < hanging.size(); ++i) {
    EXPECT_EQ(hanging[i]->EventTime(event_type::kStarted), 0);
  }
  EXPECT_EQ(LivingForkers(), 0);
  for (const auto& alloc : hanging) ASSERT_TRUE(loop_.RunToEnd(ShutDown(alloc.get())));
}

}  // namespace
}  // namespace drover::load
