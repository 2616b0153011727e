// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/garbage.h"

#include <algorithm>
#include <functional>

#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

class GarbageTest : public SchedulerFixture {
 protected:
  GarbageTest() { MakeNodeReady(); }

  static JobRegistration Batch(const std::string& id, int count, int memory_mb = 100) {
    JobRegistration registration = Registration(id, count, memory_mb);
    auto job = std::make_shared<Job>(*registration.job);
    job->type = JobType::kBatch;
    registration.job = std::move(job);
    return registration;
  }
  // Registers a job and ends its first ENDED allocations.
  void Make(const JobRegistration& registration, int ended) {
    MustRegister(registration);
    for (const auto& record : Live()) {
      if (record->alloc->job->id == registration.job->id && record->alloc->index < ended) {
        Report(record->id(), ClientStatus::kComplete);
      }
    }
  }
  void Collect(GarbageRule rule) {
    EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, rule)).ok());
  }
  std::size_t Evals() const {
    std::size_t count = 0;
    store.Read([&](const Tables& tables) { count = tables.evals.size(); });
    return count;
  }
  // How many allocations the node must hold.
  std::size_t Held() {
    const auto wanted = Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", 0));
    EXPECT_TRUE(wanted.ok());
    return wanted.ok() ? wanted->allocs.size() : 0;
  }
};

TEST_F(GarbageTest, IsWhatHasEndedAndIsNotNeeded) {
  Make(Registration("live", 2), 1);
  Make(Batch("half", 2), 1);
  Make(Batch("done", 1), 1);
  Collect({.living = false});
  EXPECT_EQ(JobOf("done"), nullptr);
  EXPECT_EQ(Allocs().size(), 4u) << "the records of living jobs stay";
  EXPECT_EQ(Held(), 4u);
  EXPECT_EQ(Evals(), 2u);
}

TEST_F(GarbageTest, TheNodeLetsGoOfWhatALivingJobStillKnows) {
  Make(Batch("half", 2), 1);
  Collect({});
  EXPECT_EQ(Allocs().size(), 2u);
  EXPECT_EQ(Held(), 1u);
  ASSERT_TRUE(scheduler.Evaluate({"default", "half"}).ok());
  EXPECT_EQ(Allocs().size(), 2u) << "it is not run again";
}

TEST_F(GarbageTest, OfOneAllocationDoesNotRunItAgain) {
  Make(Batch("half", 2), 1);
  for (const auto& record : Allocs()) {
    const Status done = scheduler.CollectAlloc(record->id());
    EXPECT_EQ(done.code(), record->terminal() ? Code::kOk : Code::kFailedPrecondition);
  }
  EXPECT_EQ(Held(), 1u);
  ASSERT_TRUE(scheduler.Evaluate({"default", "half"}).ok());
  EXPECT_EQ(Allocs().size(), 2u);
  EXPECT_EQ(scheduler.CollectAlloc("stranger").code(), Code::kNotFound);
}

TEST_F(GarbageTest, AFailedAllocationWhoseTasksStillStopStays) {
  MustRegister(Batch("fails", 1));
  const std::string id = Live().at(0)->id();
  ReportFailure(id, RunnerState::kRunning);
  Collect({});
  EXPECT_EQ(scheduler.CollectAlloc(id).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Held(), 1u);
  ReportFailure(id, RunnerState::kDead);
  Collect({});
  EXPECT_EQ(Held(), 0u);
}

TEST_F(GarbageTest, WhatTheNodeHasLetGoOfGoesWithItsJob) {
  Make(Batch("half", 2), 1);
  Collect({.jobs = false});
  ASSERT_EQ(Allocs().size(), 2u);
  ASSERT_TRUE(scheduler.Deregister({"default", "half"}, true, false).ok());
  for (const auto& record : Allocs()) {
    if (!record->client_terminal()) Report(record->id(), ClientStatus::kComplete);
  }
  Collect({.living = false});
  EXPECT_TRUE(Allocs().empty());
}

TEST_F(GarbageTest, WithoutJobsTheNodeLetsGo) {
  Make(Batch("done", 2), 2);
  Collect({.jobs = false});
  EXPECT_EQ(Held(), 0u);
  EXPECT_NE(JobOf("done"), nullptr);
  EXPECT_EQ(Evals(), 1u);
  Collect({});
  EXPECT_TRUE(Allocs().empty());
  EXPECT_EQ(JobOf("done"), nullptr);
  EXPECT_EQ(Evals(), 0u);
}

TEST_F(GarbageTest, AJobThatIsOverGoesInOne) {
  Make(Batch("done", 2), 1);
  loop.Advance(10s);
  const WallTime between = loop.Wall();
  loop.Advance(10s);
  Report(Live()[0]->id(), ClientStatus::kComplete);
  Collect({.ended_before = between});
  EXPECT_EQ(Allocs().size(), 2u) << "half of it would be placed again";
  EXPECT_EQ(Held(), 1u);
  ASSERT_TRUE(scheduler.Evaluate({"default", "done"}).ok());
  EXPECT_TRUE(Live().empty());
  Collect({.ended_before = loop.Wall() + 1});
  EXPECT_TRUE(Allocs().empty());
  EXPECT_EQ(JobOf("done"), nullptr);
}

TEST_F(GarbageTest, AServiceThatNobodyHasStoppedStays) {
  Make(Registration("none", 0), 0);
  Make(Registration("ended", 1), 1);
  Collect({});
  EXPECT_NE(JobOf("none"), nullptr);
  EXPECT_NE(JobOf("ended"), nullptr);
  for (const char* id : {"none", "ended"}) {
    ASSERT_TRUE(scheduler.Deregister({"default", id}, false, false).ok());
  }
  Collect({});
  EXPECT_EQ(JobOf("none"), nullptr);
  EXPECT_EQ(JobOf("ended"), nullptr);
}

TEST_F(GarbageTest, WhatWaitsForItsReplacementStays) {
  Make(Registration("web", 1), 0);
  const std::string left = Live().at(0)->id();
  ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
  ASSERT_TRUE(scheduler.StopAlloc(left, false).ok());
  Report(left, ClientStatus::kComplete);
  ASSERT_TRUE(Live().empty());
  Collect({});
  ASSERT_NE(Alloc(left), nullptr);
  ASSERT_TRUE(scheduler.SetEligible("node", true).ok());
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, left);
  Collect({});
  EXPECT_EQ(Alloc(left), nullptr) << "it has its replacement";
}

TEST_F(GarbageTest, TheFilesOfAStickyDiskStayForTheReplacement) {
  for (const bool sticky : {true, false}) {
    MustRegister(
        With(Registration("web", 1), [sticky](Job* job) { job->groups[0].disk_sticky = sticky; }));
    const std::string left = Live().at(0)->id();
    ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
    ASSERT_TRUE(scheduler.StopAlloc(left, false).ok());
    Report(left, ClientStatus::kComplete);
    Collect({});
    EXPECT_EQ(Alloc(left)->collected, !sticky);
    ASSERT_TRUE(scheduler.SetEligible("node", true).ok());
    Collect({});
    EXPECT_EQ(Alloc(left), nullptr);
    ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
    for (const auto& record : Allocs()) Report(record->id(), ClientStatus::kComplete);
    Collect({});
  }
}

TEST_F(GarbageTest, ABatchJobThatHasFailedGoesWithTheFilesOfItsStickyDisk) {
  MustRegister(With(Batch("fails", 1), [](Job* job) {
    job->type = JobType::kBatch;
    job->groups[0].disk_sticky = true;
  }));
  ReportFailure(Live().at(0)->id(), RunnerState::kDead);
  ASSERT_EQ(JobOf("fails")->status, "dead");
  Collect({});
  EXPECT_TRUE(Allocs().empty());
  EXPECT_EQ(JobOf("fails"), nullptr);
}

TEST_F(GarbageTest, WhatWaitsForItsReplacementGoesIfNobodyWantsThatAnyMore) {
  const auto of_count = [](int count) {
    return With(Registration("web", count), [](Job* job) {
      job->groups[0].reschedule = ReschedulePolicy();
      job->groups[0].reschedule.unlimited = true;
    });
  };
  MustRegister(of_count(2));
  std::string last;
  for (const auto& record : Live()) {
    if (record->alloc->index == 1) last = record->id();
  }
  ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
  ASSERT_TRUE(scheduler.StopAlloc(last, AllocStop{.reschedule = true}).ok());
  Report(last, ClientStatus::kComplete);
  Collect({});
  ASSERT_NE(Alloc(last), nullptr);
  MustRegister(of_count(1));
  Collect({});
  EXPECT_EQ(Alloc(last), nullptr);
}

// After a failure of its deployment, a place that nothing has left gets nothing new.
TEST_F(GarbageTest, AnOlderOneThatWaitsForItsRescheduleWhileADeploymentHasFailedStays) {
  const auto version = [](const std::string& driver_config) {
    return With(Registration("web", 2, 100, driver_config), [](Job* job) {
      job->groups[0].rollout.max_parallel = 1;
      job->groups[0].reschedule = ReschedulePolicy();
    });
  };
  MustRegister(version("1"));
  for (const auto& record : Live()) {
    AllocUpdate healthy;
    healthy.id = record->id();
    healthy.status = {ClientStatus::kRunning, ""};
    healthy.health = AllocHealth{true, loop.Wall()};
    ASSERT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {healthy})).ok());
  }
  MustRegister(version("2"));
  std::string deployment, older;
  store.Read([&](const Tables& tables) {
    for (const auto& [id, of] : tables.deployments) {
      if (of->active()) deployment = id;
    }
  });
  for (const auto& record : Live()) {
    if (record->job->version == 0) older = record->id();
  }
  ASSERT_TRUE(scheduler.FailDeployment(deployment).ok());
  Report(older, ClientStatus::kFailed);
  Collect({});
  ASSERT_NE(Alloc(older), nullptr);
  loop.Advance(30s);
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  EXPECT_NE(Alloc(older)->next, "");
}

TEST_F(GarbageTest, AStoppedAllocationStaysUntilItsTasksHaveEnded) {
  Make(Registration("web", 1), 0);
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  Collect({});
  ASSERT_EQ(Allocs().size(), 1u) << "it must stop and has not yet";
  Report(Allocs()[0]->id(), ClientStatus::kComplete);
  Collect({});
  EXPECT_TRUE(Allocs().empty());
  EXPECT_EQ(JobOf("web"), nullptr);
}

TEST_F(GarbageTest, OldVersionsAndEvaluationsOfALivingJobGo) {
  for (const char* config : {"1", "2", "3"}) {
    MustRegister(Registration("web", 1, 100, config));
    for (const auto& record : Live()) {
      if (record->alloc->desired_status == DesiredStatus::kRun) {
        Report(record->id(), ClientStatus::kComplete);
      }
    }
  }
  ASSERT_EQ(Allocs().size(), 3u);
  ASSERT_EQ(Evals(), 3u);
  Collect({.living = false});
  ASSERT_EQ(Allocs().size(), 1u) << "allocations of older versions decide nothing";
  EXPECT_EQ(Allocs()[0]->job->version, 2u);
  EXPECT_EQ(Evals(), 1u);
}

TEST_F(GarbageTest, AnEvaluationThatWaitsKeepsItsJob) {
  MustRegister(Batch("large", 1, 5000));
  ASSERT_TRUE(Allocs().empty());
  Collect({});
  EXPECT_NE(JobOf("large"), nullptr);
  EXPECT_GE(Evals(), 1u);
}

class GarbageInSlicesTest : public GarbageTest {
 protected:
  static constexpr int kAllocs = 500;

  // Registers a batch job and ends all its allocations.
  void MakeLarge(const std::string& id) {
    JobRegistration registration = Batch(id, kAllocs);
    auto job = std::make_shared<Job>(*registration.job);
    job->groups[0].tasks[0].resources = {0, 0, 0};
    registration.job = std::move(job);
    MustRegister(registration);
    std::vector<AllocUpdate> updates;
    for (const auto& record : Live()) {
      AllocUpdate update;
      update.id = record->id();
      update.status = {ClientStatus::kComplete, "reported by a test"};
      updates.push_back(update);
    }
    ASSERT_EQ(updates.size(), static_cast<std::size_t>(kAllocs));
    ASSERT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", updates)).ok());
  }
  // The most records that one write has changed.
  std::size_t LargestWrite() {
    std::size_t most = 0;
    for (const std::size_t changes : writes_) most = std::max(most, changes);
    return most;
  }
  void CountWrites() {
    writes_.clear();
    store.SetJournal([this](const std::vector<StateEvent>& changes, const Tables&) {
      writes_.push_back(changes.size());
    });
  }

  std::vector<std::size_t> writes_;
};

TEST_F(GarbageInSlicesTest, OthersHaveTheirTurnInBetween) {
  MakeLarge("large");
  CountWrites();
  int turns = 0;
  bool over = false;
  std::function<void()> turn = [&] {
    if (over) return;
    ++turns;
    loop.Post(turn);
  };
  loop.Post(turn);
  const auto collect = [](Scheduler* of, Context until, bool* done) -> Co<void> {
    (void)co_await of->CollectGarbage(until, GarbageRule());
    *done = true;
  };
  EXPECT_TRUE(loop.RunToEnd(collect(&scheduler, context, &over)));
  EXPECT_GE(turns, kAllocs / 100) << "others have their turn between two writes";
  EXPECT_LE(LargestWrite(), 70u);
  EXPECT_TRUE(Allocs().empty());
  EXPECT_EQ(Evals(), 0u);
  EXPECT_EQ(JobOf("large"), nullptr);
}

TEST_F(GarbageInSlicesTest, HalfOfAJobIsNotPlacedAgain) {
  MakeLarge("large");
  Collect({.jobs = false});
  GarbageCollection half{GarbageRule()};
  while (Allocs().size() > kAllocs / 2) {
    store.Write(cause::kJobsCollected,
                [&](Tables* tables, std::uint64_t index) { return half.Slice(tables, index); });
  }
  ASSERT_FALSE(half.done());
  // No evaluation places it again now, not even by an agent that starts with these records.
  ASSERT_TRUE(scheduler.Evaluate({"default", "large"}).ok());
  EXPECT_TRUE(Live().empty());
  Collect({});
  EXPECT_TRUE(Allocs().empty());
  EXPECT_EQ(JobOf("large"), nullptr);
}

TEST_F(GarbageInSlicesTest, AJobThatComesBackMeanwhileStays) {
  MakeLarge("large");
  Collect({.jobs = false});
  GarbageCollection half{GarbageRule()};
  while (Allocs().size() > kAllocs / 2) {
    store.Write(cause::kJobsCollected,
                [&](Tables* tables, std::uint64_t index) { return half.Slice(tables, index); });
  }
  MustRegister(Batch("large", 3));
  EXPECT_EQ(Live().size(), 3u);
  while (!half.done()) {
    store.Write(cause::kJobsCollected,
                [&](Tables* tables, std::uint64_t index) { return half.Slice(tables, index); });
  }
  EXPECT_EQ(Live().size(), 3u);
  ASSERT_NE(JobOf("large"), nullptr);
  EXPECT_EQ(JobOf("large")->status, "running");
}

TEST_F(GarbageInSlicesTest, TheNewestStay) {
  for (int i = 0; i < 5; ++i) {
    Make(Batch("done" + std::to_string(i), 1), 1);
    loop.Advance(1s);
  }
  Collect({.ended_before = 0, .keep = 2, .living = true, .jobs = true});
  std::set<std::string> left;
  for (const auto& record : Allocs()) left.insert(record->alloc->job->id);
  EXPECT_EQ(left, (std::set<std::string>{"done3", "done4"}));
}

TEST_F(GarbageTest, OfEvaluationsGoesOnlyWhatNothingNeeds) {
  const std::string made = MustRegister(Registration("web", 1)).eval_id;
  const std::string looked = scheduler.Evaluate({"default", "web"})->eval_id;
  const std::string newest = scheduler.Evaluate({"default", "web"})->eval_id;
  const std::string big = MustRegister(Registration("big", 1, 5000)).eval_id;
  const std::string blocked = Eval(big)->blocked_eval;
  for (const std::string& needed : {made, newest, blocked}) {
    const auto refused = scheduler.DeleteEvals({looked, needed}, false);
    EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
    EXPECT_NE(refused.error().message().find(needed), std::string::npos);
  }
  EXPECT_EQ(scheduler.DeleteEvals({looked, "none"}, false).code(), Code::kNotFound);
  EXPECT_NE(Eval(looked), nullptr) << "all or none";
  EXPECT_EQ(scheduler.DeleteEvals({looked, looked}, false).value(), 1u);
  EXPECT_EQ(Eval(looked), nullptr);
  ASSERT_TRUE(scheduler.Evaluate({"default", "big"}).ok());
  EXPECT_EQ(Eval(blocked)->status, "canceled");
  EXPECT_EQ(scheduler.DeleteEvals({made, newest, blocked, big, "none"}, true).value(), 2u);
  EXPECT_EQ(Eval(big), nullptr);
  EXPECT_EQ(Eval(blocked), nullptr);
  EXPECT_NE(Eval(made), nullptr);
  EXPECT_EQ(JobOf("big")->status, "pending");
}

TEST_F(GarbageTest, OfAJobTheNewestEvaluationsStay) {
  const std::string made = MustRegister(Registration("web", 1)).eval_id;
  const std::string looked = scheduler.Evaluate({"default", "web"})->eval_id;
  std::string newest;
  for (std::size_t i = 0; i < kMostEvalsOfJob + 5; ++i) {
    newest = scheduler.Evaluate({"default", "web"})->eval_id;
  }
  const std::string other = MustRegister(Registration("other", 1)).eval_id;
  Collect({.ended_before = 0, .jobs = false});
  EXPECT_NE(Eval(looked), nullptr);
  Collect({.ended_before = 0});
  EXPECT_EQ(Evals(), kMostEvalsOfJob + 2) << "and the one that has placed, and that of the other";
  EXPECT_NE(Eval(made), nullptr);
  EXPECT_EQ(Eval(looked), nullptr);
  EXPECT_NE(Eval(newest), nullptr);
  EXPECT_NE(Eval(other), nullptr);
}

}  // namespace
}  // namespace drover
