// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The cost of one more end, start or evaluation must not depend on the number of allocations beside
// it. Each test compares the processor time of this thread beside many and beside few of them.
// Other work of the machine is not in it, and a cost that grows with the number fails by far.
#include <malloc.h>

#include <algorithm>

#include "host/base/cpu_timer_for_test.h"
#include "host/base/gate.h"
#include "host/base/ids.h"
#include "host/scheduler/scheduler_fixture.h"
#include "host/state/record_json.h"

namespace drover {
namespace {

// There are at least twenty times as many as few.
constexpr double kMostTimes = 6 * kSanitizerFactor;

class SchedulerCostTest : public SchedulerFixture {
 protected:
  void MakeNode(int memory_mb) {
    NodeRecord node;
    node.id = "node";
    node.cpu_mhz = node.disk_mb = 1'000'000'000;
    node.memory_mb = memory_mb;
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  }
  static JobRegistration Batch(const std::string& id, int count) {
    JobRegistration registration = Registration(id, count, 1);
    auto job = std::make_shared<Job>(*registration.job);
    job->type = JobType::kBatch;
    registration.job = std::move(job);
    return registration;
  }
  void Forget(const std::string& id) {
    ASSERT_TRUE(scheduler.Deregister({"default", id}, true, true).ok());
    ReportAll(ClientStatus::kComplete);
    EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
    EXPECT_TRUE(Allocs().empty());
  }
  void ReportAll(ClientStatus status) {
    std::vector<AllocUpdate> updates;
    store.Read([&](const Tables& tables) {
      for (const auto& [id, record] : tables.live_allocs) {
        AllocUpdate& update = updates.emplace_back();
        update.id = id;
        update.status = {status, "reported by a test"};
      }
    });
    EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", updates)).ok());
  }
  // Makes a thousand failed allocations, which wait for their replacements.
  void MakeAThousandWait() {
    for (int i = 0; i < 1000; ++i) {
      MustRegister(With(Registration("w" + std::to_string(i), 1, 1), [](Job* job) {
        job->groups[0].reschedule = ReschedulePolicy();
        job->groups[0].reschedule.delay = 24h;
        job->groups[0].reschedule.max_delay = 24h;
      }));
    }
    ReportAll(ClientStatus::kFailed);
  }
  // The time in which reports give the first COUNT live allocations STATUS.
  double TimeOfUpdates(int count, ClientStatus status) {
    std::vector<std::string> ids;
    store.Read([&](const Tables& tables) {
      for (const auto& [id, record] : tables.live_allocs) {
        if (static_cast<int>(ids.size()) == count) break;
        ids.push_back(id);
      }
    });
    const CpuTimer timer;
    for (const std::string& id : ids) Report(id, status);
    return timer.Seconds();
  }
  // The time that an hour takes in which there are only heartbeats.
  double TimeOfAnHour() {
    return LeastOf([this] {
      const CpuTimer timer;
      for (int i = 0; i < 360; ++i) {
        loop.Advance(10s);
        EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
      }
      return timer.Seconds();
    });
  }
  double TimeOfSmallJobs(int count) {
    const CpuTimer timer;
    for (int i = 0; i < count; ++i) {
      MustRegister(Registration("s" + std::to_string(small_jobs_++), 1, 1));
    }
    return timer.Seconds();
  }
  int small_jobs_ = 0;
};

// All but ten of its allocations wait.
TEST_F(SchedulerCostTest, AnEndOfAJobThatIsLargerThanTheMachine) {
  MakeNode(10);
  const auto time_of_ends = [this](int count) {
    MustRegister(Registration("large", count, 1));
    const double took = LeastOf([this] {
      double sum = 0;
      for (int i = 0; i < 20; ++i) sum += TimeOfUpdates(1, ClientStatus::kComplete);
      return sum;
    });
    Forget("large");
    return took;
  };
  const double little = time_of_ends(500);
  EXPECT_LT(time_of_ends(20'000), little * kMostTimes);
}

TEST_F(SchedulerCostTest, AnUpdateOfALargeJob) {
  MakeNode(1'000'000);
  const auto time_of_updates = [this](int count) {
    MustRegister(Registration("large", count, 1));
    const double took = LeastOf([this] {
      return TimeOfUpdates(50, ClientStatus::kRunning) + TimeOfUpdates(50, ClientStatus::kPending);
    });
    Forget("large");
    return took;
  };
  const double little = time_of_updates(500);
  EXPECT_LT(time_of_updates(20'000), little * kMostTimes);
}

TEST_F(SchedulerCostTest, APlacementBesideMuchThatRuns) {
  MakeNode(1'000'000);
  const auto time_of_jobs = [this] { return TimeOfSmallJobs(20); };
  const double little = LeastOf(time_of_jobs);
  MustRegister(Registration("large", 10'000, 1));
  EXPECT_LT(LeastOf(time_of_jobs), little * kMostTimes);
}

TEST_F(SchedulerCostTest, AnEndWhileManyPrioritiesWaitForTheRoomOfOthers) {
  MakeNode(2'000);
  PreemptionConfig preemption;
  preemption.service = true;
  ASSERT_TRUE(scheduler.SetConfig(preemption, std::nullopt).has_value());
  MustRegister(With(Registration("low", 1'900, 1), [](Job* job) { job->priority = 1; }));
  const auto wait = [this](int priority) {
    MustRegister(With(Registration("w" + std::to_string(priority), 1, 5'000),
                      [priority](Job* job) { job->priority = priority; }));
  };
  const auto time_of_ends = [this] {
    return LeastOf([this] {
      MustRegister(Registration("short", 20, 1));
      std::vector<std::string> ids;
      for (const auto& record : Live()) {
        if (record->alloc->job->id == "short") ids.push_back(record->id());
      }
      EXPECT_EQ(ids.size(), 20u);
      const CpuTimer timer;
      for (const std::string& id : ids) Report(id, ClientStatus::kComplete);
      const double took = timer.Seconds();
      EXPECT_TRUE(scheduler.Deregister({"default", "short"}, true, false).ok());
      return took;
    });
  };
  wait(99);
  const double few = time_of_ends();
  for (int priority = 20; priority < 99; ++priority) wait(priority);
  EXPECT_LT(time_of_ends(), few * kMostTimes);
}

// Allocations that wait for their replacements cost nothing while they wait.
TEST_F(SchedulerCostTest, AThousandEvaluationsThatWaitForTheirTime) {
  MakeNode(1'000'000);
  Gate gate(&loop);
  Context life(&loop);
  gate.Spawn(scheduler.Run(life));
  const double without = TimeOfAnHour();
  MakeAThousandWait();
  std::size_t waiting = 0;
  store.Read([&](const Tables& tables) {
    for (const auto& [id, eval] : tables.evals) waiting += eval->follows_up() ? 1 : 0;
  });
  EXPECT_EQ(waiting, 1000u);
  EXPECT_LT(TimeOfAnHour(), without * kMostTimes);
  life.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

// Nor do jobs that wait for their launches, which need little memory on top of their records.
TEST_F(SchedulerCostTest, AThousandJobsThatWaitForTheirLaunches) {
  MakeNode(1'000'000);
  Gate gate(&loop);
  Context life(&loop);
  gate.Spawn(scheduler.Run(life));
  const double without = TimeOfAnHour();
  const auto bytes_of_jobs = [this](const std::string& name, bool enabled) {
    const auto before = mallinfo2().uordblks;
    for (int i = 0; i < 1000; ++i) {
      MustRegister(With(Batch(name + std::to_string(i), 1), [enabled](Job* job) {
        job->periodic.emplace();
        job->periodic->enabled = enabled;
        job->periodic->specs = {"0 0 29 2 *"};
      }));
    }
    loop.Advance(1s);
    return static_cast<std::int64_t>(mallinfo2().uordblks) - static_cast<std::int64_t>(before);
  };
  const std::int64_t of_disabled = bytes_of_jobs("d", false);
  EXPECT_LT(bytes_of_jobs("e", true) - of_disabled, 1 << 20);
  EXPECT_LT(TimeOfAnHour(), without * kMostTimes);
  life.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

// The evaluations that wait, what their allocations know of them, the launches, and the timers of
// both: as the next agent has them.
TEST_F(SchedulerCostTest, AThousandReplacementsAndAThousandLaunchesNeedLessThanTwoMegabytes) {
  MakeNode(1'000'000);
  MakeAThousandWait();
  Tables again;
  SchedulerTimers timers(&loop);
  std::vector<std::shared_ptr<const AllocChange>> changes;
  const auto before = mallinfo2().uordblks;
  store.Read([&](const Tables& tables) {
    for (const auto& [id, eval] : tables.evals) {
      if (!eval->follows_up()) continue;
      again.Put(DecodeEvaluation(EncodeRecord(*eval)).value());
      timers.SetWall({SchedulerTimers::Kind::kFollowUp, eval->id}, eval->wait_until);
    }
    for (const auto& [id, record] : tables.allocs) {
      changes.push_back(std::make_shared<const AllocChange>(record->changes()));
    }
  });
  for (int i = 0; i < 1000; ++i) {
    const JobKey key("default", "p" + std::to_string(i));
    again.Put(std::make_shared<const PeriodicLaunch>(
        PeriodicLaunch{key.first, key.second, loop.Wall(), 1, 1}));
    timers.SetWall({SchedulerTimers::Kind::kLaunch, LaunchTimerId(key)}, loop.Wall() + i);
  }
  again.changes = {};
  EXPECT_LT(mallinfo2().uordblks - before, std::size_t{2} << 20);
  EXPECT_EQ(again.evals.size(), 1000u);
  EXPECT_EQ(timers.size(), 2000u);
}

// Only the timers come on top of the records.
TEST_F(SchedulerCostTest, TwoThousandTimersNeedLessThanAMegabyte) {
  SchedulerTimers timers(&loop);
  const auto before = mallinfo2().uordblks;
  for (int i = 0; i < 2000; ++i) {
    timers.SetWall({SchedulerTimers::Kind::kFollowUp, RandomUuid()}, loop.Wall() + i);
  }
  EXPECT_LT(mallinfo2().uordblks - before, std::size_t{1} << 20);
  EXPECT_EQ(timers.size(), 2000u);
}

// Batch jobs may run on, so a drain waits for them for a long time.
TEST_F(SchedulerCostTest, AnEndWhileMuchIsDrained) {
  MakeNode(1'000'000);
  const auto time_of_ends = [this](int count) {
    MustRegister(Batch("large", count));
    EXPECT_TRUE(scheduler.Drain("node", DrainSpec{std::chrono::hours(1)}, false, {}).ok());
    const double took = LeastOf([this] { return TimeOfUpdates(20, ClientStatus::kComplete); });
    EXPECT_TRUE(scheduler.Drain("node", std::nullopt, true, {}).ok());
    Forget("large");
    return took;
  };
  const double little = time_of_ends(400);
  EXPECT_LT(time_of_ends(10'000), little * kMostTimes);
}

// The node has let go of all allocations, but the evaluations of their jobs are too new to go.
TEST_F(SchedulerCostTest, ASliceOfACollectionLooksAtNoAllocationBesideItsCount) {
  MakeNode(1'000'000);
  for (int i = 0; i < 300; ++i) MustRegister(Batch("b" + std::to_string(i), 50));
  ReportAll(ClientStatus::kComplete);
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {.jobs = false})).ok());
  ASSERT_EQ(Allocs().size(), 15'000u);
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    GarbageCollection collection({.ended_before = 0});
    std::vector<double> took;
    store.Write(cause::kJobsCollected, [&](Tables* tables, std::uint64_t index) {
      while (!collection.done()) {
        const CpuTimer timer;
        EXPECT_EQ(collection.Slice(tables, index), 0u);
        took.push_back(timer.Seconds());
      }
      return TableMask{0};
    });
    ASSERT_GE(took.size(), 15u);
    const double longest = *std::ranges::max_element(took);
    std::ranges::sort(took);
    best = std::min(best, longest / took[took.size() / 2]);
  }
  EXPECT_LT(best, kMostTimes) << "times as long as one that looks at a thousand records";
}

}  // namespace
}  // namespace drover
