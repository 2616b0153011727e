// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Thousands of tasks end in every way, and leave nothing behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <latch>
#include <utility>

#include "host/base/gate.h"
#include "host/plugin/loaded_driver.h"
#include "tests/load/census.h"

namespace drover::load {
namespace {

using bench::LocalAlloc;

// The lives and ends of the tasks. The tasks of the second half are real processes that fork.
enum Way {
  kMockEnds,
  kMockFailsInPrestart,
  kMockKilledInPrestart,
  kMockShutDownInPrestart,
  kRawLeavesChildren,
  kRawHoldsExecSession,
  kRawHoldsStatsStream,
  kRawKilledInPrestart,
  kWays,
};

constexpr int kInFlight = 16;
constexpr int kWarmUp = 128;     // all in flight at once
constexpr int kPoolThreads = 4;  // of the host's pool of a driver
// A driver makes threads of its own when it needs them, and ends them when they are idle: for
// starts, for the ends of tasks, for other calls, and for its probe.
constexpr long kDriverThreads = kPoolThreads + kInFlight + kPoolThreads + 1;
constexpr long kMostThreads =
    1 + 4 + 2 * (kPoolThreads + kDriverThreads);  // with the node's workers
constexpr long kGrowthKib = 5 * 1024;
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

std::string ForkerConfig(const std::string& what) {
  return R"({"command": ")" DROVER_LOAD_FORKER R"(", "args": [")" + what + "\"]}";
}

class LeakTest : public testing::Test {
 protected:
  LeakTest() {
    jobs_[kMockEnds] = Mock();
    jobs_[kMockFailsInPrestart] = Mock();
    jobs_[kMockKilledInPrestart] = Mock();
    // The task must not be running yet: an agent that ends leaves running tasks.
    jobs_[kMockShutDownInPrestart] =
        bench::MakeJob(bench::MakeTask("mock_driver", R"({"start_block_for": "1h"})"));
    jobs_[kRawLeavesChildren] = Raw("leave");
    jobs_[kRawHoldsExecSession] = Raw("stay");
    jobs_[kRawHoldsStatsStream] = Raw("stay");
    jobs_[kRawKilledInPrestart] = Raw("stay");
  }

  static std::shared_ptr<const Job> Mock() {
    return bench::MakeJob(bench::MakeTask("mock_driver", R"({"run_for": "1ms"})"));
  }
  static std::shared_ptr<const Job> Raw(const std::string& what) {
    return bench::MakeJob(bench::MakeTask("raw_exec", ForkerConfig(what)));
  }

  // Runs TASKS, the ways in turn.
  void Run(int tasks, int in_flight = kInFlight) {
    next_ = 0;
    end_ = tasks;
    ASSERT_TRUE(loop_.RunToEnd(RunAll(in_flight), std::chrono::minutes(30)));
  }

  // A pool makes a thread when no other is idle, and keeps it. This keeps all threads busy at once,
  // so that they exist before the first count.
  void FillPools() {
    for (Driver* driver : node_->plugins()->drivers()) {
      PluginPool& pool = node_->plugins()->FindLoaded(driver->info().name)->host()->pool();
      auto inside = std::make_shared<std::latch>(kPoolThreads);
      for (int i = 0; i < kPoolThreads; ++i) {
        ASSERT_TRUE(pool.Post({"fill", [inside] { inside->arrive_and_wait(); }, 30s}));
      }
      inside->wait();
    }
    std::vector<Co<void>> all;
    all.push_back(HoldMockThreads());
    for (int i = 0; i < 2 * kPoolThreads; ++i) all.push_back(SearchLong());
    ASSERT_TRUE(loop_.RunToEnd(InParallel(&loop_, std::move(all))));
    EXPECT_LE(TakeCensus(&node_, scratch_, own_).threads, kMostThreads);
  }

  // Compares all but the threads, which have a limit and no fixed number.
  static bool Same(Census a, Census b) {
    a.threads = b.threads = 0;
    return a == b;
  }

  // Runs TASKS, and compares memory from the task EARLY on.
  void CheckNothingStays(int early, int tasks) {
    FillPools();
    Census before;
    // The node's start has work in the pools, which ends in a moment.
    const Census unused = SettledCensus(
        &node_, scratch_, own_, [&](const Census& c) { return Same(std::exchange(before, c), c); });
    Run(kWarmUp, kWarmUp);
    // Files that are opened once are open now. The files of a task close in a moment.
    Census first = SettledCensus(&node_, scratch_, own_, [&](const Census& c) {
      const bool settled = c.contexts == unused.contexts && c.run_entries == unused.run_entries &&
                           c.descendants == unused.descendants && Same(c, before);
      before = c;
      return settled;
    });
    EXPECT_EQ(first.contexts, unused.contexts);
    EXPECT_EQ(first.task_runners, 0);
    EXPECT_EQ(first.alloc_runners, 0);
    EXPECT_EQ(first.streams, unused.streams);
    EXPECT_EQ(first.supervised_runs, 0);
    EXPECT_EQ(first.descendants, unused.descendants);
    EXPECT_EQ(first.mounts, 0);
    EXPECT_EQ(first.run_entries, unused.run_entries);
    EXPECT_EQ(first.alloc_entries, 0);
    EXPECT_EQ(first.cgroups, 0);
    ways_done_.fill(0);
    Run(early);
    const long resident = ResidentKib();
    Run(tasks - early);
    if (!kSanitized) {
      EXPECT_LE(ResidentKib() - resident, kGrowthKib) << "from " << resident << " KiB";
    }
    EXPECT_FALSE(own_.empty());
    const auto as_at_first = [&](const Census& c) { return Same(c, first); };
    const Census last = SettledCensus(&node_, scratch_, own_, as_at_first);
    EXPECT_TRUE(as_at_first(last))
        << testing::PrintToString(last) << " instead of " << testing::PrintToString(first);
    EXPECT_LE(last.threads, kMostThreads);
    for (int way = 0; way < kWays; ++way) {
      const int all = tasks / kWays;
      if (way != kMockKilledInPrestart && way != kRawKilledInPrestart) {
        EXPECT_EQ(ways_done_[way], all) << "way " << way;
      } else if (!kSanitized) {
        // Some tasks have started before they are killed: half of them on a busy machine, and with
        // sanitizers perhaps all.
        EXPECT_GT(ways_done_[way], all / 4) << "way " << way;
      }
    }
  }

  bench::Scratch scratch_;
  const int subreaper_ = prctl(PR_SET_CHILD_SUBREAPER, 1);
  RealLoop loop_;
  bench::LocalNode node_{&loop_, scratch_};
  RunNames own_;

 private:
  Co<void> RunAll(int in_flight) {
    std::vector<Co<void>> workers;
    for (int i = 0; i < in_flight; ++i) workers.push_back(RunSome());
    co_await InParallel(&loop_, std::move(workers));
  }

  Co<void> RunSome() {
    while (next_ < end_ && !HasFailure()) {
      const Way way = static_cast<Way>(next_++ % kWays);
      co_await RunOne(way);
    }
  }

  // Runs commands of mock_driver, each of which waits on a pool thread for the end of its input.
  Co<void> HoldMockThreads() {
    LocalAlloc alloc(&node_,
                     bench::MakeJob(bench::MakeTask("mock_driver", R"({"run_for": "1h"})")));
    alloc.Start();
    const bool running = co_await alloc.WaitRunning();
    EXPECT_TRUE(running);
    int input[2];
    EXPECT_EQ(pipe2(input, O_CLOEXEC), 0);
    std::vector<std::unique_ptr<TaskExecSession>> sessions;
    const Context context(&loop_);
    for (int i = 0; i < kPoolThreads; ++i) {
      ExecRequest request;
      request.command = {"showinput"};
      request.input = UniqueFd(fcntl(input[0], F_DUPFD_CLOEXEC, 3));
      request.output = UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
      request.error = UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
      auto session = co_await alloc.runner()->Exec(context, "t", std::move(request));
      EXPECT_TRUE(session.ok()) << session.error().message();
      if (session.ok()) sessions.push_back(std::move(*session));
    }
    close(input[0]);
    close(input[1]);
    for (const auto& session : sessions) {
      const Result<ExitResult> end = co_await session->Wait(context);
      EXPECT_TRUE(end.ok());
    }
    alloc.Stop();
    const Status finished = co_await alloc.Finish();
    EXPECT_TRUE(finished.ok());
  }

  // Runs a task of raw_exec for whose command a thread of the driver searches very many places.
  Co<void> SearchLong() {
    Task task = bench::MakeTask("raw_exec", R"({"command": "nowhere"})");
    for (int i = 0; i < 50000; ++i) task.env["PATH"] += "/x:";
    LocalAlloc alloc(&node_, bench::MakeJob(std::move(task)));
    alloc.Start();
    const Status finished = co_await alloc.Finish();
    EXPECT_TRUE(finished.ok());
    EXPECT_NE(alloc.EventTime(event_type::kDriverFailure), 0);
  }

  Co<void> RunOne(Way way) {
    LocalAlloc alloc(&node_, jobs_[way]);
    if (way == kMockFailsInPrestart) PutFileInTheWay(alloc.alloc().id);
    alloc.Start();
    bool as_meant = false;
    switch (way) {
      case kMockEnds:
      case kMockFailsInPrestart:
      case kRawLeavesChildren:
        break;
      case kMockKilledInPrestart:
      case kRawKilledInPrestart:
        co_await WaitPrestart(&alloc);
        alloc.Stop();
        break;
      case kMockShutDownInPrestart:
        co_await WaitPrestart(&alloc);
        co_await alloc.runner()->Shutdown();
        break;
      case kRawHoldsExecSession:
        as_meant = co_await HoldSession(&alloc);
        break;
      case kRawHoldsStatsStream:
        as_meant = co_await HoldStats(&alloc);
        break;
      case kWays:
        break;
    }
    const Status finished = co_await alloc.Finish();
    EXPECT_TRUE(finished.ok()) << "way " << way << ": " << finished.error().message();
    const TaskStateRecord& record = alloc.record();
    if (way == kMockEnds || way == kRawLeavesChildren) as_meant = record.Successful();
    if (way == kMockFailsInPrestart) {
      as_meant = record.failed && alloc.EventTime(event_type::kStarted) == 0;
    }
    if (way == kMockKilledInPrestart || way == kMockShutDownInPrestart ||
        way == kRawKilledInPrestart) {
      as_meant = alloc.EventTime(event_type::kStarted) == 0;
    }
    if (as_meant) ++ways_done_[way];
  }

  // The directory of the task cannot be made.
  void PutFileInTheWay(const std::string& alloc_id) {
    const std::string directory = node_.alloc_dir() + "/" + alloc_id;
    std::filesystem::create_directory(directory);
    std::ofstream(directory + "/t") << "in the way";
  }

  static Co<void> WaitPrestart(LocalAlloc* alloc) {
    std::function<bool(const AllocState&)> begun = [alloc](const AllocState&) {
      return alloc->EventTime(event_type::kTaskSetup) != 0;
    };
    co_await alloc->WaitUntil(std::move(begun));
  }

  // The task is stopped while a command runs beside it.
  Co<bool> HoldSession(LocalAlloc* alloc) {
    const bool running = co_await alloc->WaitRunning();
    if (!running) co_return false;
    NoteRuns(scratch_, &own_);
    ExecRequest request;
    request.command = {DROVER_LOAD_FORKER, "stay"};
    request.input = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    request.output = UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
    request.error = UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
    const Context context(&loop_);
    auto session = co_await alloc->runner()->Exec(context, "t", std::move(request));
    EXPECT_TRUE(session.ok()) << session.error().message();
    alloc->Stop();
    if (!session.ok()) co_return false;
    co_await alloc->runner()->WaitEnded();
    co_return true;
  }

  // The task is stopped while its samples are followed.
  Co<bool> HoldStats(LocalAlloc* alloc) {
    const bool running = co_await alloc->WaitRunning();
    if (!running) co_return false;
    NoteRuns(scratch_, &own_);
    const StatsDemand::Token demand = node_->stats_demand()->Acquire();
    const Context context(&loop_);
    const Context soon = context.WithTimeout(10s);
    const AllocUsage usage = co_await alloc->runner()->Usage(soon, "t", UsageDetail::kProcesses);
    alloc->Stop();
    co_await alloc->runner()->WaitEnded();
    co_return usage.tasks.size() == 1;
  }

  std::array<std::shared_ptr<const Job>, kWays> jobs_;
  std::array<int, kWays> ways_done_{};
  int next_ = 0;
  int end_ = 0;
};

TEST_F(LeakTest, EveryWayToEndLeavesNothingBehind) { CheckNothingStays(80, 400); }
TEST_F(LeakTest, TenThousandTasksLeaveNothingBehind) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep what was freed, and take too long";
  CheckNothingStays(2000, 10000);
}

}  // namespace
}  // namespace drover::load
