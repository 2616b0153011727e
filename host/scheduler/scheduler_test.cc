// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/scheduler.h"

#include <gmock/gmock.h>

#include "host/base/gate.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using SchedulerTest = SchedulerFixture;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(SchedulerTest, PlacesOneAllocationPerCount) {
  MakeNodeReady();
  const JobReply reply = MustRegister(Registration("web", 3));
  const auto eval = Eval(reply.eval_id);
  ASSERT_NE(eval, nullptr);
  EXPECT_EQ(eval->status, "complete");
  EXPECT_EQ(eval->triggered_by, "job-register");
  EXPECT_EQ(eval->create_index, reply.eval_create_index);
  ASSERT_EQ(Live().size(), 3u);
  std::set<std::string> names;
  for (const auto& record : Live()) {
    names.insert(record->alloc->name);
    EXPECT_EQ(record->alloc->eval_id, reply.eval_id);
    EXPECT_EQ(record->alloc->node_id, "node");
    EXPECT_EQ(record->alloc->create_index, reply.index + 1);
  }
  EXPECT_THAT(names, ElementsAre("web.g[0]", "web.g[1]", "web.g[2]"));
  EXPECT_EQ(JobOf("web")->status, "running");
  EXPECT_EQ(JobOf("web")->job_modify_index, reply.job_modify_index);
}

TEST_F(SchedulerTest, TheSameJobAgainChangesNothing) {
  MakeNodeReady();
  const JobReply first = MustRegister(Registration("web", 2));
  const auto before = Live();
  const JobReply second = MustRegister(Registration("web", 2));
  EXPECT_EQ(Live(), before);
  EXPECT_EQ(JobOf("web")->version, 0u);
  EXPECT_EQ(second.job_modify_index, first.job_modify_index);
  EXPECT_NE(second.eval_id, first.eval_id);
}

TEST_F(SchedulerTest, ACountThatGrowsAndShrinksTouchesNoOther) {
  MakeNodeReady();
  MustRegister(Registration("web", 2));
  const auto before = Live();
  MustRegister(Registration("web", 3));
  ASSERT_EQ(Live().size(), 3u);
  for (const auto& record : before) {
    EXPECT_FALSE(Alloc(record->id())->terminal());
    EXPECT_EQ(Alloc(record->id())->job->version, 1u) << "it has the new job";
  }
  MustRegister(Registration("web", 1));
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->index, 0);
  for (const auto& record : Allocs()) {
    if (!record->terminal()) continue;
    EXPECT_EQ(record->alloc->desired_description, "alloc not needed due to job update");
  }
}

TEST_F(SchedulerTest, AnotherTaskReplacesTheAllocation) {
  MakeNodeReady();
  MustRegister(Registration("web", 1));
  const auto old = Live().at(0);
  MustRegister(Registration("web", 1, 100, R"({"run_for": "1s"})"));
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, old->id());
  EXPECT_EQ(Alloc(old->id())->next, Live()[0]->id());
  EXPECT_EQ(Alloc(old->id())->alloc->desired_status, DesiredStatus::kStop);
  EXPECT_EQ(Alloc(old->id())->alloc->desired_description,
            "alloc is being updated due to job update");
}

TEST_F(SchedulerTest, AReplacementThatHadToWaitKnowsWhatItReplaces) {
  MakeNodeReady();
  MustRegister(Registration("web", 1, 600));
  const auto old = Live().at(0);
  // There is room for the new one only after the old one has ended.
  MustRegister(Registration("web", 1, 700));
  EXPECT_THAT(Live(), IsEmpty());
  EXPECT_EQ(Alloc(old->id())->next, "");
  Report(old->id(), ClientStatus::kComplete);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, old->id());
  EXPECT_EQ(Alloc(old->id())->next, Live()[0]->id());
  // The next one replaces the last one, not the first one again.
  const auto second = Live()[0];
  MustRegister(Registration("web", 1, 700, R"({"run_for": "1s"})"));
  Report(second->id(), ClientStatus::kComplete);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, second->id());
}

TEST_F(SchedulerTest, APlanWithoutANodeFailsAsItsEvaluationDoes) {
  const Result<PlanReply> plan = scheduler.Plan(Registration("web", 3));
  ASSERT_TRUE(plan.ok());
  const JobReply reply = MustRegister(Registration("web", 3));
  EXPECT_EQ(plan->failed_groups, Eval(reply.eval_id)->failed_groups);
  EXPECT_EQ(plan->failed_groups.at("g").nodes_evaluated, 0);
  EXPECT_EQ(plan->failed_groups.at("g").coalesced_failures, 2);
}

TEST_F(SchedulerTest, WhatHasEndedIsStartedAgainForAnotherJobOnly) {
  MakeNodeReady();
  MustRegister(Registration("sum", 1));
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  EXPECT_EQ(JobOf("sum")->status, "dead");
  ASSERT_TRUE(scheduler.Evaluate({"default", "sum"}).ok());
  EXPECT_THAT(Live(), IsEmpty());
  MustRegister(Registration("sum", 1, 101));
  EXPECT_EQ(Live().size(), 1u);
  EXPECT_EQ(JobOf("sum")->status, "running");
}

TEST_F(SchedulerTest, ReservedCoresWaitForTheAllocationThatHasThem) {
  NodeRecord node;
  node.id = "node";
  node.cpu_mhz = node.memory_mb = 1000;
  node.disk_mb = 1'000'000;
  node.cores = 2;
  node.core_ids = {2, 5};
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  JobRegistration registration = Registration("web", 3);
  auto job = std::make_shared<Job>(*registration.job);
  job->groups[0].tasks[0].resources.cpu_mhz = 0;
  job->groups[0].tasks[0].resources.cores = 1;
  registration.job = std::move(job);
  MustRegister(std::move(registration));
  const auto placed = Live();
  ASSERT_EQ(placed.size(), 2u);
  const std::vector<int> first = placed[0]->alloc->cores.at("t");
  EXPECT_EQ((std::set<std::vector<int>>{first, placed[1]->alloc->cores.at("t")}),
            (std::set<std::vector<int>>{{2}, {5}}));
  Report(placed[0]->id(), ClientStatus::kFailed);
  const auto later = Live();
  ASSERT_EQ(later.size(), 2u) << "one has ended, another has its place";
  const auto& newest = later[0]->id() == placed[1]->id() ? later[1] : later[0];
  EXPECT_EQ(newest->alloc->cores.at("t"), first);
}

TEST_F(SchedulerTest, AFailedAllocationHasItsMemoryAndCoresUntilItsLastTaskEnds) {
  MakeNodeReady();
  MustRegister(Registration("first", 1, 900));
  const std::string first = Live().at(0)->id();
  ReportFailure(first, RunnerState::kRunning);
  MustRegister(Registration("second", 1, 900));
  MustRegister(Registration("first", 1, 800));
  EXPECT_TRUE(Live().empty());
  ReportFailure(first, RunnerState::kDead);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->job->id, "second");
  Report(Live()[0]->id(), ClientStatus::kComplete);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, first) << "the next version of the first job";
}

// The files of a sticky disk may still be with the first allocation, if the second never started.
TEST_F(SchedulerTest, ANewVersionReplacesAFailedAllocation) {
  MakeNodeReady();
  MustRegister(Registration("web", 2));
  std::map<int, std::string> first;
  for (const auto& record : Live()) first[record->alloc->index] = record->id();
  MustRegister(Registration("web", 2, 101));
  for (const auto& [index, id] : first) Report(id, ClientStatus::kComplete);
  std::map<int, std::string> second;
  for (const auto& record : Live()) {
    second[record->alloc->index] = record->id();
    EXPECT_EQ(record->previous, first.at(record->alloc->index));
  }
  ASSERT_EQ(second.size(), 2u);
  for (const auto& [index, id] : second) Report(id, ClientStatus::kFailed);
  EXPECT_TRUE(Live().empty()) << "there is no other one for the same version";
  MustRegister(Registration("web", 2, 102));
  ASSERT_EQ(Live().size(), 2u);
  for (const auto& record : Live()) {
    EXPECT_EQ(record->previous, second.at(record->alloc->index));
    EXPECT_EQ(Alloc(record->previous)->next, record->id());
  }
}

TEST_F(SchedulerTest, ANewVersionReplacesNoCompletedAllocationAndNoneOfAPurgedJob) {
  MakeNodeReady();
  MustRegister(Registration("web", 1));
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  MustRegister(Registration("web", 1, 101));
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, "");
  Report(Live()[0]->id(), ClientStatus::kFailed);
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  MustRegister(Registration("web", 1, 102));
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, "");
}

// In a queue that is worked off one by one, no job costs more writes than it would alone.
TEST_F(SchedulerTest, AQueueWritesEachEvaluationThreeTimesAtMost) {
  constexpr int kJobs = 2000;
  std::map<std::string, int> written;  // by job
  store.SetJournal([&](const std::vector<StateEvent>& changes, const Tables&) {
    std::set<std::string> ids;  // only the last of several changes of a record is kept
    for (const StateEvent& change : changes) {
      const auto* eval = std::get_if<std::shared_ptr<const Evaluation>>(&change.record);
      if (eval != nullptr && ids.insert((*eval)->id).second) ++written[(*eval)->job_id];
    }
  });
  MakeNodeReady();
  for (int i = 0; i < kJobs; ++i) {
    MustRegister(Registration("job" + std::to_string(1000 + i), 1, 1000));
  }
  std::vector<std::string> order;
  while (true) {
    std::string live;
    store.Read([&](const Tables& tables) {
      ASSERT_LE(tables.live_allocs.size(), 1u);
      if (tables.live_allocs.empty()) return;
      live = tables.live_allocs.begin()->first;
      order.push_back(tables.live_allocs.begin()->second->alloc->job->id);
    });
    if (live.empty()) break;
    Report(live, ClientStatus::kComplete);
  }
  EXPECT_EQ(order.size(), static_cast<std::size_t>(kJobs));
  EXPECT_TRUE(std::ranges::is_sorted(order)) << "the oldest first";
  for (const auto& [job, times] : written) EXPECT_LE(times, 3) << job;
}

TEST_F(SchedulerTest, WhatIsFreedGoesToTheHighestPriorityOnce) {
  MakeNodeReady();
  MustRegister(Registration("first", 1, 1000));
  std::vector<std::shared_ptr<const Evaluation>> blocked;
  for (const int priority : {50, 80, 50}) {
    JobRegistration registration = Registration("p" + std::to_string(blocked.size()), 1, 1000);
    auto job = std::make_shared<Job>(*registration.job);
    job->priority = priority;
    registration.job = std::move(job);
    blocked.push_back(Eval(Eval(MustRegister(std::move(registration)).eval_id)->blocked_eval));
  }
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->job->id, "p1");
  EXPECT_EQ(Eval(blocked[0]->id), blocked[0]) << "it was not written again";
  EXPECT_EQ(Eval(blocked[2]->id), blocked[2]);
}

// The job is larger than the machine. Its placed allocations are not looked at again.
TEST_F(SchedulerTest, ALargeJobIsPlacedBitByBit) {
  MakeNodeReady();
  MustRegister(Registration("large", 25, 100));
  std::set<int> indexes;
  for (int ended = 0; ended < 25; ++ended) {
    const auto live = Live();
    ASSERT_EQ(live.size(), static_cast<std::size_t>(std::min(10, 25 - ended)));
    for (const auto& record : live) indexes.insert(record->alloc->index);
    EXPECT_EQ(JobOf("large")->status, "running");
    Report(live[0]->id(), ClientStatus::kComplete);
  }
  EXPECT_EQ(indexes.size(), 25u);
  EXPECT_EQ(Allocs().size(), 25u);
  EXPECT_EQ(JobOf("large")->status, "dead");
}

TEST_F(SchedulerTest, ANewVersionOfWhatWaitsIsPlacedAnew) {
  MakeNodeReady();
  MustRegister(Registration("large", 25, 100));
  MustRegister(Registration("large", 12, 100));
  EXPECT_EQ(Live().size(), 10u);
  Report(Live()[0]->id(), ClientStatus::kComplete);
  Report(Live()[0]->id(), ClientStatus::kComplete);
  Report(Live()[0]->id(), ClientStatus::kComplete);
  EXPECT_EQ(Allocs().size(), 12u) << "and not the rest of the first version";
}

TEST_F(SchedulerTest, AnEvaluationIsSeenPendingBeforeItIsComplete) {
  MakeNodeReady();
  const JobReply reply = MustRegister(Registration("web", 1));
  EXPECT_EQ(reply.index, reply.eval_create_index);
  EXPECT_EQ(Eval(reply.eval_id)->create_index, reply.eval_create_index);
  EXPECT_GT(Eval(reply.eval_id)->modify_index, reply.eval_create_index)
      << "a wait for a newer index than that of the reply ends";
  std::vector<std::string> seen;
  for (const auto& batch : store.events().From(reply.index).batches) {
    for (const StateEvent& event : batch->events) {
      const auto* eval = std::get_if<std::shared_ptr<const Evaluation>>(&event.record);
      if (eval != nullptr) seen.push_back((*eval)->status.str() + " " + std::string(batch->cause));
    }
  }
  EXPECT_THAT(seen, ElementsAre("pending JobRegistered", "complete EvaluationUpdated"));
}

TEST_F(SchedulerTest, WhatIsWrittenForOneRequestIsKeptTogether) {
  std::vector<std::size_t> changes;
  store.SetJournal(
      [&](const std::vector<StateEvent>& of, const Tables&) { changes.push_back(of.size()); });
  MakeNodeReady();
  changes.clear();
  MustRegister(Registration("web", 1));
  EXPECT_EQ(changes.size(), 1u) << "a job is never restored without the result of its evaluation";
}

TEST_F(SchedulerTest, AnUpdateThatFindsNoPlaceStopsNothing) {
  MakeNodeReady();
  MustRegister(Registration("web", 2, 300));
  const auto before = Live();
  const JobReply reply = MustRegister(Registration("web", 2, 5000));
  EXPECT_EQ(Live(), before);
  EXPECT_EQ(Eval(reply.eval_id)->failed_groups.at("g").coalesced_failures, 1);
  EXPECT_EQ(Eval(reply.eval_id)->queued.at("g"), 2);
  EXPECT_EQ(JobOf("web")->status, "running");
  const auto plan = scheduler.Plan(Registration("web", 2, 5000));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->failed_groups, Eval(reply.eval_id)->failed_groups);
  // An update that fits after the old ones have ended stops them.
  MustRegister(Registration("web", 2, 400));
  const auto now = Live();
  ASSERT_EQ(now.size(), 1u) << "there is room for one of them beside the old ones";
  for (const auto& record : before) {
    EXPECT_TRUE(Alloc(record->id())->alloc->server_terminal());
    Report(record->id(), ClientStatus::kComplete);
  }
  ASSERT_EQ(Live().size(), 2u);
  for (const auto& record : Live()) EXPECT_NE(record->previous, "");
}

TEST_F(SchedulerTest, AnUpdateWaitsForRoomThatOthersLeave) {
  MakeNodeReady();
  MustRegister(Registration("other", 1, 600));
  const std::string other = Live().at(0)->id();
  MustRegister(Registration("web", 1, 300));
  MustRegister(Registration("web", 1, 700));
  EXPECT_EQ(Live().size(), 2u);
  Report(other, ClientStatus::kComplete);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->job->groups[0].tasks[0].resources.memory_mb, 700);
}

TEST_F(SchedulerTest, AJobOfAnotherDatacenterOrRegionIsNotPlaced) {
  MakeNodeReady();
  const auto place = [this](std::vector<std::string> datacenters, const std::string& region) {
    JobRegistration registration = Registration("web" + std::to_string(Allocs().size()), 1);
    auto job = std::make_shared<Job>(*registration.job);
    job->id += datacenters[0] + region;
    job->datacenters = std::move(datacenters);
    job->region = region;
    registration.job = std::move(job);
    const auto eval = Eval(MustRegister(std::move(registration)).eval_id);
    return eval->failed_groups.empty() ? PlacementFailure() : eval->failed_groups.at("g");
  };
  EXPECT_EQ(place({"dc1"}, "global"), PlacementFailure());
  EXPECT_EQ(place({"eu", "d*1"}, "global"), PlacementFailure());
  EXPECT_EQ(Live().size(), 2u);
  const PlacementFailure elsewhere = place({"dc2", "eu-*"}, "global");
  EXPECT_EQ(elsewhere.nodes_available, (std::map<std::string, int>{{"dc2", 0}, {"eu-*", 0}}));
  EXPECT_EQ(elsewhere.nodes_in_pool, 1);
  EXPECT_EQ(elsewhere.nodes_evaluated, 0);
  const PlacementFailure abroad = place({"*"}, "eu");
  EXPECT_EQ(abroad.constraint_filtered, (std::map<std::string, int>{{"${node.region} = eu", 1}}));
  EXPECT_EQ(abroad.nodes_available, (std::map<std::string, int>{{"dc1", 1}}));
  EXPECT_EQ(Live().size(), 2u);
}

TEST_F(SchedulerTest, ANodeThatIsNotHeardOfIsDownUntilItIs) {
  const auto status = [this] {
    std::string out;
    store.Read([&](const Tables& tables) { out = tables.nodes.at("node")->status; });
    return out;
  };
  MakeNodeReady();
  MustRegister(Registration("web", 1));
  const auto placed = Live();
  Gate gate(&loop);
  Context life(&loop);
  gate.Spawn(scheduler.Run(life));
  loop.Advance(19s);
  EXPECT_EQ(status(), "ready");
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  loop.Advance(19s);
  EXPECT_EQ(status(), "ready");
  loop.Advance(1s);
  EXPECT_EQ(status(), "down");
  EXPECT_TRUE(Live().empty()) << "what was there is lost";
  EXPECT_EQ(Alloc(placed[0]->id())->reported.status.status, ClientStatus::kLost);
  MustRegister(Registration("more", 1));
  EXPECT_TRUE(Live().empty());
  AllocUpdate update;
  update.id = placed[0]->id();
  EXPECT_EQ(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).code(),
            Code::kFailedPrecondition);
  EXPECT_EQ(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).code(),
            Code::kFailedPrecondition)
      << "it must report first";
  EXPECT_EQ(status(), "initializing");
  update.status = {ClientStatus::kRunning, "it runs"};
  EXPECT_TRUE(Await<Status>(scheduler.ReportAllocs(context, "node", {update})).ok());
  EXPECT_EQ(status(), "ready");
  EXPECT_EQ(Live().size(), 2u) << "both have room again";
  EXPECT_EQ(Alloc(placed[0]->id())->reported.status.status, ClientStatus::kLost);
  life.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(SchedulerTest, WithoutRoomForItsRecordsAJobIsRefused) {
  Status room = Error(Code::kUnavailable, "full", true);
  SchedulerOptions options;
  options.check_room = [&room] { return room; };
  Scheduler full(&loop, &store, &ports, options);
  EXPECT_EQ(full.Register(Registration("web", 1)).code(), Code::kUnavailable);
  EXPECT_EQ(JobOf("web"), nullptr);
  room = Status();
  EXPECT_TRUE(full.Register(Registration("web", 1)).ok());
  room = Error(Code::kUnavailable, "full", true);
  EXPECT_EQ(full.Evaluate({"default", "web"}).code(), Code::kUnavailable);
  EXPECT_TRUE(full.Deregister({"default", "web"}, true, false).ok()) << "a stop is never refused";
}

TEST_F(SchedulerTest, AJobThatIsStartedAgainKeepsItsText) {
  MakeNodeReady();
  JobRegistration registration = Registration("web", 1);
  registration.submission =
      std::make_shared<const JobSubmission>(JobSubmission{"its text", "hcl2", {}, ""});
  MustRegister(registration);
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  MustRegister(Registration("web", 1));
  ASSERT_EQ(JobOf("web")->version, 2u);
  EXPECT_EQ(JobOf("web")->submission, registration.submission);
  MustRegister(Registration("web", 2));
  EXPECT_EQ(JobOf("web")->submission, nullptr) << "it is another job, and nobody sent its text";
}

TEST_F(SchedulerTest, WhatStillHasNoRoomIsNotWrittenAgain) {
  MakeNodeReady();
  MustRegister(Registration("small", 1, 100));
  const JobReply reply = MustRegister(Registration("large", 1, 5000));
  const auto blocked = Eval(Eval(reply.eval_id)->blocked_eval);
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  EXPECT_EQ(Eval(blocked->id), blocked);
}

TEST_F(SchedulerTest, WhatDoesNotFitWaitsForMemory) {
  MakeNodeReady();
  MustRegister(Registration("big", 1, 600));
  const JobReply reply = MustRegister(Registration("more", 5, 200));
  const auto eval = Eval(reply.eval_id);
  EXPECT_EQ(Live().size(), 3u) << "big and two of more";
  EXPECT_EQ(eval->failed_groups.at("g").dimension_exhausted.at("memory"), 1);
  EXPECT_EQ(eval->failed_groups.at("g").coalesced_failures, 2);
  EXPECT_EQ(eval->queued.at("g"), 3);
  ASSERT_TRUE(scheduler.Deregister({"default", "big"}, false, false).ok());
  EXPECT_EQ(Live().size(), 2u) << "its memory is in use until it has ended";
  for (const auto& record : Allocs()) {
    if (record->alloc->job->id == "big") Report(record->id(), ClientStatus::kComplete);
  }
  EXPECT_EQ(Live().size(), 5u);
}

TEST_F(SchedulerTest, NothingIsPlacedBeforeTheNodeIsReady) {
  const JobReply reply = MustRegister(Registration("web", 1));
  EXPECT_THAT(Allocs(), IsEmpty());
  EXPECT_EQ(Eval(Eval(reply.eval_id)->blocked_eval)->status, "blocked");
  MakeNodeReady();
  EXPECT_EQ(Live().size(), 1u);
}

TEST_F(SchedulerTest, AnIneligibleNodeTakesNothingNew) {
  MakeNodeReady();
  MustRegister(Registration("old", 1));
  ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
  MustRegister(Registration("new", 1));
  EXPECT_EQ(Live().size(), 1u);
  ASSERT_TRUE(scheduler.SetEligible("node", true).ok());
  EXPECT_EQ(Live().size(), 2u);
  EXPECT_EQ(scheduler.SetEligible("stranger", true).code(), Code::kNotFound);
}

TEST_F(SchedulerTest, ASystemJobComesBackWhenItsNodeTakesNewOnes) {
  MakeNodeReady();
  const auto is_system = [](Job* job) { job->type = JobType::kSystem; };
  MustRegister(With(Registration("all", 1), is_system));
  const std::string old = Live().at(0)->id();
  EXPECT_EQ(Live()[0]->alloc->node_id, "node");
  ASSERT_TRUE(scheduler.Drain("node", DrainSpec{std::chrono::hours(1)}, false, {}).ok());
  EXPECT_EQ(Alloc(old)->alloc->desired_description, "alloc not needed as node is tainted");
  Report(old, ClientStatus::kComplete);
  EXPECT_THAT(Live(), IsEmpty());
  ASSERT_TRUE(scheduler.SetEligible("node", true).ok());
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, old);
}

TEST_F(SchedulerTest, ASystemJobThatNoNodeMayRunSaysWhy) {
  MakeNodeReady();
  const JobReply reply = MustRegister(With(Registration("all", 1), [](Job* job) {
    job->type = JobType::kSystem;
    job->constraints.push_back({"${meta.rack}", "=", "7"});
  }));
  EXPECT_THAT(Allocs(), IsEmpty());
  EXPECT_EQ(Eval(reply.eval_id)->failed_groups.at("g").constraint_filtered.size(), 1u);
  EXPECT_NE(Eval(reply.eval_id)->blocked_eval, "");
}

TEST_F(SchedulerTest, AStoppedAllocationIsReplaced) {
  MakeNodeReady();
  MustRegister(Registration("web", 1));
  const std::string old = Live().at(0)->id();
  const Result<JobReply> reply = scheduler.StopAlloc(old, true);
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(Eval(reply->eval_id)->triggered_by, "alloc-stop");
  EXPECT_EQ(Alloc(old)->alloc->desired_description, "alloc is being migrated");
  EXPECT_TRUE(Alloc(old)->alloc->no_shutdown_delay);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, old);
  EXPECT_EQ(scheduler.StopAlloc("stranger", false).code(), Code::kNotFound);
}

TEST_F(SchedulerTest, AStoppedJobIsDeadAndCanBePurgedAndComeBack) {
  MakeNodeReady();
  MustRegister(Registration("web", 1));
  const std::string id = Live().at(0)->id();
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  EXPECT_TRUE(JobOf("web")->stop);
  EXPECT_EQ(JobOf("web")->status, "dead");
  EXPECT_EQ(Alloc(id)->alloc->desired_status, DesiredStatus::kStop);
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  EXPECT_EQ(JobOf("web"), nullptr);
  EXPECT_EQ(scheduler.Deregister({"default", "web"}, true, false).code(), Code::kNotFound);
  MustRegister(Registration("web", 1));
  EXPECT_EQ(JobOf("web")->version, 0u);
  EXPECT_EQ(Live().size(), 1u);
}

TEST_F(SchedulerTest, WhatIsStoppingCanStopWithoutDelay) {
  MakeNodeReady();
  MustRegister(Registration("web", 1));
  const std::string id = Live().at(0)->id();
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  const std::uint64_t stopped = Alloc(id)->alloc->alloc_modify_index;
  EXPECT_FALSE(Alloc(id)->alloc->no_shutdown_delay);
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, true).ok());
  const std::uint64_t hurried = Alloc(id)->alloc->alloc_modify_index;
  EXPECT_TRUE(Alloc(id)->alloc->no_shutdown_delay);
  EXPECT_GT(hurried, stopped);
  EXPECT_EQ(Alloc(id)->modify_index, hurried);
  // A second request changes nothing.
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, true).ok());
  EXPECT_EQ(Alloc(id)->alloc->alloc_modify_index, hurried);
}

TEST_F(SchedulerTest, TheModifyIndexIsEnforced) {
  MakeNodeReady();
  JobRegistration registration = Registration("web", 1);
  registration.enforce_index = 7;
  EXPECT_EQ(scheduler.Register(registration).error().message(),
            "Enforcing job modify index 7: job does not exist");
  registration.enforce_index = 0;
  const JobReply reply = MustRegister(registration);
  EXPECT_EQ(scheduler.Register(registration).error().message(),
            "Enforcing job modify index 0: job already exists");
  registration.enforce_index = reply.job_modify_index + 1;
  EXPECT_EQ(scheduler.Register(registration).error().message(),
            "Enforcing job modify index " + std::to_string(reply.job_modify_index + 1) +
                ": job exists with conflicting job modify index: " +
                std::to_string(reply.job_modify_index));
  registration.enforce_index = reply.job_modify_index;
  EXPECT_TRUE(scheduler.Register(registration).ok());
}

TEST_F(SchedulerTest, APlanSaysWhatWouldBeDoneAndDoesNothing) {
  MakeNodeReady();
  MustRegister(Registration("web", 2));
  std::uint64_t index = 0;
  store.Read([&](const Tables& tables) { index = tables.last_index; });
  const auto plan = scheduler.Plan(Registration("web", 20, 90));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->plan.groups.at("g").destructive, 2);
  EXPECT_EQ(plan->plan.groups.at("g").place.size(), 20u);
  EXPECT_EQ(plan->failed_groups.at("g").coalesced_failures, 11) << "800 MB are left for 20 of 90";
  store.Read([&](const Tables& tables) { EXPECT_EQ(tables.last_index, index); });
}

TEST_F(SchedulerTest, UpdatesOfANodeThatIsNotReadyAreRefused) {
  AllocUpdate update;
  update.id = "a";
  EXPECT_EQ(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).code(),
            Code::kFailedPrecondition);
  EXPECT_EQ(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).code(), Code::kNotFound);
}

TEST_F(SchedulerTest, AnEndedAllocationKeepsWhatWasSaidOfItsEnd) {
  MakeNodeReady();
  MustRegister(Registration("web", 1));
  AllocUpdate update;
  update.id = Live()[0]->id();
  const auto report = [&](ClientStatus status, const std::string& description) {
    update.status = {status, description};
    EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
    return Alloc(update.id)->reported.status.description;
  };
  EXPECT_EQ(report(ClientStatus::kRunning, "one"), "one");
  EXPECT_EQ(report(ClientStatus::kRunning, "two"), "two");
  EXPECT_EQ(report(ClientStatus::kFailed, "a task failed"), "a task failed");
  EXPECT_EQ(report(ClientStatus::kComplete, "it took too long"), "it took too long");
  const std::uint64_t index = Alloc(update.id)->modify_index;
  EXPECT_EQ(report(ClientStatus::kComplete, "all tasks have ended"), "it took too long");
  EXPECT_EQ(Alloc(update.id)->modify_index, index) << "nothing has changed";
}

TEST_F(SchedulerTest, NoReportMakesAnEndedAllocationRunAgain) {
  MakeNodeReady();
  const auto with_port = [](Job* job) {
    job->groups[0].networks.emplace_back().dynamic_ports.emplace_back().label = "http";
  };
  MustRegister(With(Registration("web", 1), with_port));
  const std::string id = Live()[0]->id();
  Report(id, ClientStatus::kComplete);
  EXPECT_EQ(ports.taken(), 0u);
  MustRegister(With(Registration("other", 1), with_port));
  EXPECT_EQ(ports.taken(), 1u);
  Report(id, ClientStatus::kRunning);
  EXPECT_EQ(Alloc(id)->reported.status.status, ClientStatus::kComplete);
  Report(id, ClientStatus::kFailed);
  EXPECT_EQ(Alloc(id)->reported.status.status, ClientStatus::kFailed) << "how it has ended";
  EXPECT_EQ(ports.taken(), 1u) << "it gives back no port of another one";
}

TEST_F(SchedulerTest, ReportsOfOtherNodesAndOfWhatIsGoneChangeNothing) {
  MakeNodeReady();
  NodeRecord other;
  other.id = "other";
  other.memory_mb = 1;
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, other)).ok());
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "other")).ok());
  MustRegister(Registration("web", 1));
  const auto before = Live().at(0);
  ASSERT_EQ(before->alloc->node_id, "node");
  AllocUpdate update;
  update.id = before->id();
  update.status = {ClientStatus::kFailed, "by another node"};
  EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "other", {update})).ok());
  EXPECT_EQ(Alloc(before->id()), before);
  update.id = "gone";
  EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
  EXPECT_EQ(Allocs().size(), 1u);
}

TEST_F(SchedulerTest, TheHealthOfAnAllocationIsAChange) {
  MakeNodeReady();
  MustRegister(Registration("web", 1));
  AllocUpdate update;
  update.id = Live()[0]->id();
  update.status = {ClientStatus::kRunning, "runs"};
  const auto report = [&] {
    EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
    return Alloc(update.id)->modify_index;
  };
  const std::uint64_t before = report();
  update.health = AllocHealth{true, 7};
  const std::uint64_t after = report();
  EXPECT_GT(after, before);
  EXPECT_EQ(Alloc(update.id)->reported.health, update.health);
  EXPECT_EQ(report(), after) << "nothing has changed";
}

TEST_F(SchedulerTest, ANodeFetchesWhatIsWantedOfIt) {
  MakeNodeReady();
  MustRegister(Registration("web", 2));
  const auto first = Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", 0));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->allocs.size(), 2u);
  Report(Live().at(0)->id(), ClientStatus::kRunning);
  const Context limited = context.WithTimeout(1s);
  EXPECT_EQ(Await<Result<NodeAllocs>>(scheduler.FetchAllocs(limited, "node", first->index)).code(),
            Code::kTimeout)
      << "the node's own report is no news for it";
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  const auto second =
      Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", first->index));
  ASSERT_TRUE(second.ok());
  for (const auto& alloc : second->allocs) EXPECT_TRUE(alloc->server_terminal());
}

TEST_F(SchedulerTest, ANodeThatAsksAgainHearsOnlyWhatHasChanged) {
  MakeNodeReady();
  MustRegister(Registration("web", 3));
  const auto fetch = [this](std::uint64_t newer_than) {
    return *Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", newer_than));
  };
  const NodeAllocs first = fetch(0);
  EXPECT_TRUE(first.complete);
  const std::string ended = Live().at(0)->id();
  ASSERT_TRUE(scheduler.StopAlloc(ended, false).ok());
  const NodeAllocs second = fetch(first.index);
  EXPECT_FALSE(second.complete);
  EXPECT_EQ(second.allocs.size(), 2u) << "the one that must stop and its replacement";
  EXPECT_EQ(second.gone, std::vector<std::string>());
  Report(ended, ClientStatus::kComplete);
  ASSERT_TRUE(scheduler.CollectAlloc(ended).ok());
  const NodeAllocs third = fetch(second.index);
  EXPECT_FALSE(third.complete);
  EXPECT_EQ(third.allocs.size(), 0u);
  EXPECT_EQ(third.gone, std::vector<std::string>{ended});
  EXPECT_EQ(fetch(0).allocs.size(), 3u);
}

}  // namespace
}  // namespace drover
