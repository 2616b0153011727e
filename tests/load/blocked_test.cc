// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A thousand starts that take an hour hold no threads and delay nobody.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "bench/proc_facts.h"
#include "host/base/gate.h"
#include "tests/load/census.h"

namespace drover::load {
namespace {

using bench::LocalAlloc;
using Allocs = std::vector<std::unique_ptr<LocalAlloc>>;

constexpr Duration kPatience = std::chrono::minutes(10);
constexpr int kTasks = 1000;
constexpr long kMaxThreads = 32;
constexpr double kMaxStartMs = 100;
// The machine may be busy, so the fastest of several tries shows the speed of the host.
constexpr int kTries = 20;

Co<void> WaitDriver(LocalAlloc* alloc) {
  // No event marks the start's request itself. The directory is made just before it.
  std::function<bool(const AllocState&)> begun = [alloc](const AllocState&) {
    return alloc->EventTime(event_type::kTaskSetup) != 0;
  };
  co_await alloc->WaitUntil(std::move(begun));
}

Co<void> StartAll(Loop* loop, Allocs* allocs, bool blocked) {
  std::vector<Co<void>> waits;
  for (const auto& alloc : *allocs) alloc->Start();
  for (const auto& alloc : *allocs) {
    if (blocked) {
      co_await WaitDriver(alloc.get());
    } else {
      const bool running = co_await alloc->WaitRunning();
      EXPECT_TRUE(running);
    }
  }
  const Context context(loop);
  [[maybe_unused]] const Status slept = co_await Sleep(context, 200ms);
}

Co<void> RunFurther(bench::LocalNode* node, std::vector<double>* milliseconds) {
  const auto job = bench::MakeJob(bench::MakeTask("mock_driver", R"({"run_for": "1h"})"));
  for (int i = 0; i < kTries; ++i) {
    LocalAlloc alloc(node, job);
    alloc.Start();
    const bool running = co_await alloc.WaitRunning();
    EXPECT_TRUE(running);
    milliseconds->push_back(static_cast<double>(alloc.record().started_at - alloc.started()) / 1e6);
    alloc.Stop();
    const Status finished = co_await alloc.Finish();
    EXPECT_TRUE(finished.ok());
  }
}

Co<void> StopOne(LocalAlloc* alloc) {
  alloc->Stop();
  const Status finished = co_await alloc->Finish();
  EXPECT_TRUE(finished.ok()) << finished.error().message();
}

Co<void> StopOneThenAll(Loop* loop, Allocs* allocs) {
  // First some one by one: the end of one needs no other end.
  for (int i = 0; i < 10; ++i) co_await StopOne((*allocs)[static_cast<std::size_t>(i)].get());
  std::vector<Co<void>> stops;
  for (std::size_t i = 10; i < allocs->size(); ++i) stops.push_back(StopOne((*allocs)[i].get()));
  co_await InParallel(loop, std::move(stops));
}

// As many tasks run beside the blocked ones.
TEST(BlockedTest, AThousandStartsThatTakeAnHourHoldNobody) {
  const bench::Scratch scratch;
  RealLoop loop;
  bench::LocalNode node(&loop, scratch);
  const auto slow = bench::MakeJob(
      bench::MakeTask("mock_driver", R"({"start_block_for": "1h", "run_for": "1h"})"));
  const auto quick = bench::MakeJob(bench::MakeTask("mock_driver", R"({"run_for": "1h"})"));
  std::vector<double> alone;
  ASSERT_TRUE(loop.RunToEnd(RunFurther(&node, &alone), kPatience));
  Allocs blocked, running;
  for (int i = 0; i < kTasks; ++i) {
    blocked.push_back(std::make_unique<LocalAlloc>(&node, slow));
    running.push_back(std::make_unique<LocalAlloc>(&node, quick));
  }
  ASSERT_TRUE(loop.RunToEnd(StartAll(&loop, &blocked, true), kPatience));
  ASSERT_TRUE(loop.RunToEnd(StartAll(&loop, &running, false), kPatience));
  for (const auto& alloc : blocked) EXPECT_EQ(alloc->record().state, RunnerState::kPending);
  EXPECT_LE(bench::ReadProcFacts(getpid()).threads, kMaxThreads);

  std::vector<double> milliseconds;
  ASSERT_TRUE(loop.RunToEnd(RunFurther(&node, &milliseconds), kPatience));
  EXPECT_LE(*std::min_element(milliseconds.begin(), milliseconds.end()),
            std::max(kMaxStartMs, 2 * *std::min_element(alone.begin(), alone.end())));

  ASSERT_TRUE(loop.RunToEnd(StopOneThenAll(&loop, &blocked), kPatience));
  // The end of the starting tasks must not end the running ones.
  for (const auto& alloc : running) EXPECT_EQ(alloc->record().state, RunnerState::kRunning);
  ASSERT_TRUE(loop.RunToEnd(StopOneThenAll(&loop, &running), kPatience));
  for (const auto& alloc : blocked) {
    EXPECT_EQ(alloc->EventTime(event_type::kStarted), 0);
    EXPECT_EQ(alloc->record().state, RunnerState::kDead);
  }
  for (const auto& alloc : running) EXPECT_NE(alloc->EventTime(event_type::kKilled), 0);
}

}  // namespace
}  // namespace drover::load
