// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Replacements of failed and lost allocations, at their times.
#include <gmock/gmock.h>

#include "host/base/gate.h"
#include "host/reconcile/reconcile.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FollowUpTest : public SchedulerFixture {
 protected:
  FollowUpTest() : gate_(&loop), life_(&loop) {
    MakeNodeReady();
    gate_.Spawn(scheduler.Run(life_));
  }
  ~FollowUpTest() override {
    life_.Cancel();
    EXPECT_TRUE(loop.RunToEnd(gate_.Close()));
  }

  // A service that is rescheduled after 30 s, 60 s, 120 s, ...
  static JobRegistration Service(const std::string& id, int count = 1, int memory_mb = 100) {
    return With(Registration(id, count, memory_mb),
                [](Job* job) { job->groups[0].reschedule = ReschedulePolicy(); });
  }
  static JobRegistration Batch(const std::string& id) {
    return With(Registration(id, 1), [](Job* job) {
      job->type = JobType::kBatch;
      job->groups[0].reschedule = {1,  24h,  5s, ReschedulePolicy::DelayFunction::kConstant,
                                   0s, false};
    });
  }
  // Lets time pass while the node sends its heartbeats.
  void Pass(Duration time) {
    for (Duration step = 5s; time > Duration(0); time -= step) {
      step = std::min(step, time);
      loop.Advance(step);
      EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
    }
  }
  std::vector<std::shared_ptr<const Evaluation>> EvalsOf(const std::string& cause) const {
    std::vector<std::shared_ptr<const Evaluation>> out;
    store.Read([&](const Tables& tables) {
      for (const auto& [id, eval] : tables.evals) {
        if (eval->triggered_by == cause) out.push_back(eval);
      }
    });
    return out;
  }
  std::shared_ptr<const Evaluation> Waiting() const {
    std::shared_ptr<const Evaluation> out;
    store.Read([&](const Tables& tables) {
      for (const auto& [id, eval] : tables.evals) {
        if (eval->follows_up()) out = eval;
      }
    });
    return out;
  }
  std::string OnlyLive() const {
    const auto live = Live();
    EXPECT_EQ(live.size(), 1u);
    return live.empty() ? "" : live[0]->id();
  }

  Gate gate_;
  Context life_;
};

TEST_F(FollowUpTest, AFailedAllocationIsReplacedWhenItsTimeHasCome) {
  MustRegister(Service("web"));
  const std::string first = OnlyLive();
  Report(first, ClientStatus::kFailed);
  const auto waiting = Waiting();
  ASSERT_NE(waiting, nullptr);
  EXPECT_EQ(waiting->triggered_by, "alloc-failure");
  EXPECT_EQ(waiting->wait_until, loop.Wall() + Duration(30s).count());
  EXPECT_EQ(Alloc(first)->changes().follow_up_eval, waiting->id);
  EXPECT_EQ(Eval(waiting->previous_eval)->next_eval, waiting->id);
  EXPECT_EQ(Eval(waiting->previous_eval)->triggered_by, "alloc-failure");
  EXPECT_EQ(JobOf("web")->status, "pending") << "it goes on by itself";
  Pass(29s);
  EXPECT_THAT(Live(), IsEmpty());
  Pass(1s);
  const std::string second = OnlyLive();
  EXPECT_EQ(Alloc(second)->previous, first);
  EXPECT_EQ(Alloc(first)->next, second);
  EXPECT_EQ(Alloc(first)->alloc->desired_description, stop_reason::kRescheduled);
  EXPECT_EQ(Eval(waiting->id)->status, "complete");
  EXPECT_EQ(Alloc(second)->alloc->eval_id, waiting->id);
  const auto& events = Alloc(second)->changes().reschedules;
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].previous_alloc, first);
  EXPECT_EQ(events[0].previous_node, "node");
  EXPECT_EQ(events[0].delay, 30s);
  // The next one waits for twice as long, and knows of both.
  Report(second, ClientStatus::kFailed);
  Pass(59s);
  EXPECT_THAT(Live(), IsEmpty());
  Pass(1s);
  EXPECT_EQ(Alloc(OnlyLive())->changes().reschedules.size(), 2u);
}

TEST_F(FollowUpTest, AServiceThatEndsByItselfIsReplacedAndABatchJobIsNot) {
  MustRegister(Batch("sum"));
  Report(OnlyLive(), ClientStatus::kComplete);
  EXPECT_EQ(Waiting(), nullptr);
  MustRegister(Service("web"));
  const std::string first = OnlyLive();
  Report(first, ClientStatus::kComplete);
  ASSERT_NE(Waiting(), nullptr);
  Pass(30s);
  EXPECT_EQ(Alloc(OnlyLive())->previous, first);
  // One that had to stop has ended as it should.
  const std::string second = OnlyLive();
  ASSERT_TRUE(scheduler.StopAlloc(second, AllocStop{.no_reschedule = true}).ok());
  Report(second, ClientStatus::kComplete);
  EXPECT_EQ(Waiting(), nullptr);
}

TEST_F(FollowUpTest, AFailedAllocationIsReplacedWhenItsLastTaskHasEnded) {
  MustRegister(Service("web", 1, 900));
  const std::string first = OnlyLive();
  ReportFailure(first, RunnerState::kRunning);
  Pass(30s);
  EXPECT_THAT(Live(), IsEmpty()) << "it has its memory";
  ReportFailure(first, RunnerState::kDead);
  EXPECT_EQ(Alloc(OnlyLive())->previous, first);
  EXPECT_EQ(Alloc(OnlyLive())->changes().reschedules.size(), 1u);
}

TEST_F(FollowUpTest, OneEvaluationReplacesAllThatFailTogether) {
  MustRegister(Service("web", 3));
  std::vector<AllocUpdate> updates;
  for (const auto& record : Live()) {
    AllocUpdate& update = updates.emplace_back();
    update.id = record->id();
    update.status = {ClientStatus::kFailed, "together"};
  }
  EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", updates)).ok());
  EXPECT_EQ(EvalsOf("alloc-failure").size(), 2u) << "the one now and the one later";
  Pass(30s);
  EXPECT_EQ(Live().size(), 3u);
}

TEST_F(FollowUpTest, ABatchJobIsReplacedOnce) {
  MustRegister(Batch("sum"));
  Report(OnlyLive(), ClientStatus::kFailed);
  Pass(5s);
  Report(OnlyLive(), ClientStatus::kFailed);
  EXPECT_EQ(Waiting(), nullptr);
  EXPECT_EQ(JobOf("sum")->status, "dead");
  Pass(60s);
  EXPECT_THAT(Live(), IsEmpty());
  // A user may ask for more.
  ASSERT_TRUE(scheduler.EvaluateForced({"default", "sum"}).ok());
  EXPECT_EQ(Alloc(OnlyLive())->changes().reschedules.size(), 2u);
}

TEST_F(FollowUpTest, OtherEvaluationsDoNotTakeTheWaitAway) {
  MustRegister(Service("web"));
  Report(OnlyLive(), ClientStatus::kFailed);
  const auto waiting = Waiting();
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  EXPECT_EQ(Eval(waiting->id), waiting);
  EXPECT_THAT(Live(), IsEmpty());
  Pass(30s);
  EXPECT_EQ(Live().size(), 1u);
}

TEST_F(FollowUpTest, ANewVersionDoesNotWaitAndIsNotReplacedLater) {
  MustRegister(Service("web"));
  Report(OnlyLive(), ClientStatus::kFailed);
  const auto waiting = Waiting();
  MustRegister(Service("web", 1, 110));
  const std::string newer = OnlyLive();
  EXPECT_THAT(Alloc(newer)->changes().reschedules, IsEmpty());
  Pass(60s);
  EXPECT_EQ(OnlyLive(), newer);
  EXPECT_EQ(Eval(waiting->id)->status, "complete");
}

TEST_F(FollowUpTest, AStoppedJobWaitsForNothing) {
  for (const bool purge : {false, true}) {
    MustRegister(Service("web"));
    Report(OnlyLive(), ClientStatus::kFailed);
    const auto waiting = Waiting();
    ASSERT_TRUE(scheduler.Deregister({"default", "web"}, purge, false).ok());
    EXPECT_EQ(Eval(waiting->id)->status, "canceled");
    EXPECT_EQ(Eval(waiting->id)->status_description, "the job was stopped");
    Pass(60s);
    EXPECT_THAT(Live(), IsEmpty());
  }
}

TEST_F(FollowUpTest, AReplacementWithoutRoomKnowsItsPastWhenItIsPlaced) {
  MustRegister(Service("web", 1, 600));
  const std::string first = OnlyLive();
  Report(first, ClientStatus::kFailed);
  MustRegister(Registration("other", 1, 600));
  const std::string other = OnlyLive();
  Pass(30s);
  EXPECT_EQ(OnlyLive(), other);
  EXPECT_EQ(Alloc(first)->changes().last_reschedule, "no placement");
  EXPECT_EQ(Alloc(first)->alloc->desired_description, stop_reason::kRescheduled);
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  ASSERT_NE(Alloc(first), nullptr) << "its past is needed";
  Report(other, ClientStatus::kComplete);
  const std::string second = OnlyLive();
  EXPECT_EQ(Alloc(second)->previous, first);
  EXPECT_EQ(Alloc(second)->changes().reschedules.size(), 1u);
  EXPECT_EQ(Alloc(second)->changes().last_reschedule, "ok");
}

TEST_F(FollowUpTest, WhatWaitsForRoomIsNotPlacedTwice) {
  MustRegister(Service("web", 4, 300));  // one of them has no room
  ASSERT_EQ(Live().size(), 3u);
  const std::string failed = Live()[0]->id();
  Report(failed, ClientStatus::kFailed);
  EXPECT_EQ(Live().size(), 3u) << "the waiting one has the room";
  Pass(30s);
  std::set<int> indexes;
  for (const auto& record : Live()) indexes.insert(record->alloc->index);
  EXPECT_EQ(indexes.size(), 3u);
  std::size_t blocked = 0;
  store.Read([&](const Tables& tables) { blocked = tables.blocked_evals; });
  EXPECT_EQ(blocked, 1u);
}

TEST_F(FollowUpTest, TheNextAgentGoesOnWaiting) {
  MustRegister(Service("web"));
  Report(OnlyLive(), ClientStatus::kFailed);
  life_.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate_.Close()));
  loop.Advance(29s);
  Scheduler next(&loop, &store, &ports, {});
  Gate gate(&loop);
  Context life(&loop);
  gate.Spawn(next.Run(life));
  EXPECT_TRUE(Await<Result<Duration>>(next.Heartbeat(context, "node")).ok());
  EXPECT_THAT(Live(), IsEmpty());
  loop.Advance(1s);
  EXPECT_EQ(Live().size(), 1u);
  life.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(FollowUpTest, WhatBecameDueWithoutAnAgentHappensAtOnce) {
  MustRegister(Service("web"));
  Report(OnlyLive(), ClientStatus::kFailed);
  life_.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate_.Close()));
  loop.Advance(1h);
  Scheduler next(&loop, &store, &ports, {});
  EXPECT_TRUE(Await<Result<Duration>>(next.Heartbeat(context, "node")).ok());
  Gate gate(&loop);
  Context life(&loop);
  gate.Spawn(next.Run(life));
  loop.Advance(0s);
  EXPECT_EQ(Live().size(), 1u);
  life.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(FollowUpTest, AReportFromTheFutureOrThePastHasComeNow) {
  MustRegister(Service("web"));
  const std::string id = Live().at(0)->id();
  loop.Advance(1s);
  for (const WallTime at : {loop.Wall() + 1, WallTime{1}, WallTime{-1}}) {
    AllocUpdate update;
    update.id = id;
    update.status = {ClientStatus::kRunning, std::to_string(at)};
    update.modify_time = at;
    ASSERT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
    EXPECT_EQ(Alloc(id)->reported.modify_time, loop.Wall()) << at;
  }
}

// A clock that is set changes no delay.
TEST_F(FollowUpTest, TheWallClockDoesNotMatter) {
  MustRegister(Service("web"));
  Report(OnlyLive(), ClientStatus::kFailed);
  loop.Jump(-1h);
  Pass(30s);
  const std::string second = OnlyLive();
  Report(second, ClientStatus::kFailed);
  loop.Jump(1h);
  Pass(29s);
  EXPECT_THAT(Live(), IsEmpty());
}

// Launches follow the wall clock. That changes nothing for those that wait beside them.
TEST_F(FollowUpTest, TheWallClockDoesNotMatterBesidePeriodicJobs) {
  MustRegister(With(Batch("nightly"), [](Job* job) {
    job->periodic.emplace();
    job->periodic->specs = {"0 0 1 1 *"};
  }));
  MustRegister(Service("web"));
  Report(OnlyLive(), ClientStatus::kFailed);
  loop.Jump(-1h);
  Pass(30s);
  Report(OnlyLive(), ClientStatus::kFailed);
  loop.Jump(1h);
  Pass(59s);
  EXPECT_THAT(Live(), IsEmpty());
  Pass(1s);
  EXPECT_EQ(Live().size(), 1u);
}

TEST_F(FollowUpTest, AnAllocationStopsWithoutAReplacement) {
  MustRegister(Service("web"));
  const std::string first = OnlyLive();
  ASSERT_TRUE(scheduler.StopAlloc(first, AllocStop{.no_reschedule = true}).ok());
  EXPECT_THAT(Live(), IsEmpty());
  EXPECT_EQ(Alloc(first)->alloc->desired_status, DesiredStatus::kStop);
  Report(first, ClientStatus::kComplete);
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  EXPECT_THAT(Live(), IsEmpty());
  MustRegister(Service("web", 1, 110));
  EXPECT_EQ(Live().size(), 1u);
}

TEST_F(FollowUpTest, OneThatWaitsForItsReplacementIsLeftAlone) {
  MustRegister(Service("web"));
  const std::string first = OnlyLive();
  Report(first, ClientStatus::kFailed);
  ASSERT_TRUE(scheduler.StopAlloc(first, AllocStop{.no_reschedule = true}).ok());
  Pass(60s);
  EXPECT_THAT(Live(), IsEmpty());
}

TEST_F(FollowUpTest, AStopMayCountAsAReschedule) {
  MustRegister(Batch("sum"));
  const std::string first = OnlyLive();
  ASSERT_TRUE(scheduler.StopAlloc(first, AllocStop{.reschedule = true}).ok());
  EXPECT_EQ(Alloc(first)->alloc->desired_description, stop_reason::kRescheduled);
  EXPECT_EQ(Alloc(OnlyLive())->changes().reschedules.size(), 1u);
  // Without it, nothing is counted.
  const std::string second = OnlyLive();
  ASSERT_TRUE(scheduler.StopAlloc(second, AllocStop()).ok());
  EXPECT_EQ(Alloc(second)->alloc->desired_description, stop_reason::kMigrated);
  EXPECT_EQ(Alloc(OnlyLive())->change, nullptr);
}

TEST_F(FollowUpTest, OnALostNodeTheAllocationAndItsPortsAreFree) {
  MustRegister(With(Registration("web", 1), [](Job* job) {
    job->groups[0].networks.emplace_back().dynamic_ports.emplace_back().label = "http";
  }));
  const std::string lost = OnlyLive();
  EXPECT_EQ(ports.taken(), 1u);
  loop.Advance(20s);
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  EXPECT_EQ(Alloc(lost)->reported.status.status, ClientStatus::kLost);
  EXPECT_EQ(Alloc(lost)->alloc->desired_description, stop_reason::kLost);
  EXPECT_EQ(ports.taken(), 0u);
  EXPECT_THAT(Live(), IsEmpty()) << "there is no other node";
  (void)Await<Result<Duration>>(scheduler.Heartbeat(context, "node"));
  EXPECT_TRUE(Await<Status>(scheduler.ReportAllocs(context, "node", {})).ok());
  EXPECT_EQ(Alloc(OnlyLive())->previous, lost);
  EXPECT_EQ(Alloc(OnlyLive())->change, nullptr) << "a loss does not count";
}

// Its tasks ran when they were last heard of.
TEST_F(FollowUpTest, OnlyTheNewestStatesAreKept) {
  MustRegister(With(Service("web"), [](Job* job) { job->groups[0].disconnect.lost_after = 1h; }));
  const std::string id = OnlyLive();
  Report(id, ClientStatus::kRunning);
  store.Write(cause::kAllocUpdate, [&](Tables* tables, std::uint64_t) {
    AllocChange change;
    change.states.resize(50, {ClientStatus::kRunning, 1});
    auto changed = std::make_shared<AllocRecord>(*tables->allocs.at(id));
    changed->change = std::make_shared<const AllocChange>(std::move(change));
    tables->Put(std::move(changed));
    return MaskOf(Table::kAllocs);
  });
  loop.Advance(20s);
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  const auto states = Alloc(id)->changes().states;
  ASSERT_EQ(states.size(), 20u);
  EXPECT_EQ(states.back().to, ClientStatus::kUnknown);
}

TEST_F(FollowUpTest, ALostAllocationGivesItsPortsBackOnce) {
  MustRegister(With(Registration("web", 1), [](Job* job) {
    job->groups[0].networks.emplace_back().dynamic_ports.emplace_back().label = "http";
  }));
  const std::string lost = OnlyLive();
  const auto report = [&](ClientStatus status, RunnerState task) {
    AllocUpdate update;
    update.id = lost;
    update.status = {status, "reported by a test"};
    auto state = std::make_shared<TaskStateRecord>();
    state->state = task;
    update.tasks = {{"t", std::move(state)}};
    EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
  };
  report(ClientStatus::kRunning, RunnerState::kRunning);
  loop.Advance(20s);
  EXPECT_TRUE(Alloc(lost)->over());
  EXPECT_EQ(ports.taken(), 0u);
  (void)Await<Result<Duration>>(scheduler.Heartbeat(context, "node"));
  EXPECT_TRUE(Await<Status>(scheduler.ReportAllocs(context, "node", {})).ok());
  report(ClientStatus::kRunning, RunnerState::kRunning);
  EXPECT_EQ(Alloc(lost)->reported.status.status, ClientStatus::kLost);
  EXPECT_NE(OnlyLive(), lost);
  EXPECT_EQ(ports.taken(), 1u);
  report(ClientStatus::kComplete, RunnerState::kDead);
  EXPECT_EQ(ports.taken(), 1u) << "they belong to the other one now";
}

TEST_F(FollowUpTest, AnEvaluationThatSomebodyWaitsForIsNotCollected) {
  MustRegister(Service("web"));
  Report(OnlyLive(), ClientStatus::kFailed);
  const auto waiting = Waiting();
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  EXPECT_EQ(Eval(waiting->id), waiting);
  EXPECT_EQ(scheduler.DeleteEvals({waiting->id}, false).code(), Code::kFailedPrecondition);
  Pass(30s);
  EXPECT_EQ(Live().size(), 1u);
}

class RolloutStepTest : public FollowUpTest {
 protected:
  static JobRegistration Rollout(int count, int memory_mb) {
    return With(Registration("web", count, memory_mb), [](Job* job) {
      job->groups[0].rollout.max_parallel = 1;
      job->groups[0].rollout.progress_deadline = 10min;
    });
  }
  std::shared_ptr<const Deployment> Newest() const {
    std::shared_ptr<const Deployment> out;
    store.Read([&](const Tables& tables) {
      out = tables.DeploymentOf(*tables.jobs.at({"default", "web"}));
    });
    return out;
  }
  void ReportHealthy(const std::string& id) {
    AllocUpdate update;
    update.id = id;
    update.status = {ClientStatus::kRunning, "runs"};
    update.health = AllocHealth{true, loop.Wall()};
    EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
  }
};

TEST_F(RolloutStepTest, TheDeploymentIsWrittenWithWhatItPlaces) {
  std::vector<std::size_t> writes;
  store.SetJournal(
      [&](const std::vector<StateEvent>& of, const Tables&) { writes.push_back(of.size()); });
  const JobReply reply = MustRegister(Rollout(2, 100));
  EXPECT_EQ(writes.size(), 1u) << "it is never there without its allocations";
  store.SetJournal(nullptr);
  const auto deployment = Newest();
  ASSERT_NE(deployment, nullptr);
  EXPECT_EQ(Eval(reply.eval_id)->deployment_id, deployment->id);
  EXPECT_EQ(deployment->create_index, reply.index + 1);
  const DeploymentGroup& group = deployment->groups.at("g");
  EXPECT_EQ(group.placed, 2);
  EXPECT_EQ(group.require_progress_by, loop.Wall() + Duration(10min).count());
  for (const auto& record : Live()) EXPECT_EQ(record->alloc->deployment_id, deployment->id);
}

TEST_F(RolloutStepTest, ANewVersionGoesOnWhenTheReplacementIsHealthy) {
  MustRegister(Rollout(3, 100));
  const auto first = Newest();
  for (const auto& record : Live()) ReportHealthy(record->id());
  MustRegister(Rollout(3, 110));
  const auto second = Newest();
  EXPECT_NE(second->id, first->id);
  const auto of_second = [&] {
    auto out = Live();
    std::erase_if(out, [&](const auto& of) { return of->alloc->deployment_id != second->id; });
    return out;
  };
  ASSERT_EQ(of_second().size(), 1u);
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  ASSERT_EQ(of_second().size(), 1u) << "it is not healthy yet";
  ReportHealthy(of_second()[0]->id());
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  EXPECT_EQ(of_second().size(), 2u);
  EXPECT_EQ(Live().size(), 3u);
}

TEST_F(RolloutStepTest, WhatWaitsForRoomIsNotPlacedInAPause) {
  MustRegister(Registration("big", 1, 500));
  const std::string big = OnlyLive();
  MustRegister(Rollout(8, 100));
  EXPECT_EQ(Live().size(), 6u) << "there is no room for the others";
  const std::string id = Newest()->id;
  ASSERT_TRUE(scheduler.PauseDeployment(id, true).ok());
  ASSERT_TRUE(scheduler.Deregister({"default", "big"}, false, false).ok());
  Report(big, ClientStatus::kComplete);
  EXPECT_EQ(Live().size(), 5u);
  ASSERT_TRUE(scheduler.PauseDeployment(id, false).ok());
  EXPECT_EQ(Live().size(), 8u);
}

TEST_F(RolloutStepTest, ATakenOverAllocationIsJudgedAnew) {
  MustRegister(Rollout(1, 100));
  const std::string id = OnlyLive();
  ReportHealthy(id);
  MustRegister(With(Rollout(1, 100), [](Job* job) { job->priority = 60; }));
  EXPECT_EQ(OnlyLive(), id);
  EXPECT_EQ(Alloc(id)->alloc->deployment_id, Newest()->id);
  EXPECT_EQ(Alloc(id)->reported.health, std::nullopt);
  EXPECT_EQ(Newest()->job_version, 1u);
}

// An older version made it unhealthy, and its policy had no attempt left then.
TEST_F(RolloutStepTest, ATakenOverAllocationIsNotReplacedForAnOlderVersion) {
  MustRegister(Rollout(1, 100));
  const std::string id = OnlyLive();
  store.Write(cause::kAllocUpdate, [&](Tables* tables, std::uint64_t) {
    auto changed = std::make_shared<AllocRecord>(*tables->allocs.at(id));
    changed->reschedule = true;
    tables->Put(std::move(changed));
    return MaskOf(Table::kAllocs);
  });
  MustRegister(With(Rollout(1, 100), [](Job* job) {
    job->priority = 60;
    job->groups[0].reschedule = ReschedulePolicy();
  }));
  EXPECT_EQ(OnlyLive(), id);
  EXPECT_FALSE(Alloc(id)->reschedule);
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  EXPECT_EQ(OnlyLive(), id);
}

}  // namespace
}  // namespace drover
