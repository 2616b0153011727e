// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/scheduler.h"

#include <gmock/gmock.h>

#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using SchedulerTest = SchedulerFixture;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

JobRegistration WithStaticPort(JobRegistration registration, int value) {
  auto job = std::make_shared<Job>(*registration.job);
  Port port;
  port.label = "http";
  port.value = value;
  Network network;
  network.reserved_ports.push_back(port);
  job->groups[0].networks.push_back(network);
  registration.job = std::move(job);
  return registration;
}

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
    EXPECT_EQ(record->alloc->create_index, reply.index);
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
  // There is room for the new one only when the old one has ended.
  MustRegister(Registration("web", 1, 700));
  EXPECT_THAT(Live(), IsEmpty());
  EXPECT_EQ(Alloc(old->id())->next, "");
  Tell(old->id(), ClientStatus::kComplete);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, old->id());
  EXPECT_EQ(Alloc(old->id())->next, Live()[0]->id());
  // What comes after that replaces the last one, not the first one again.
  const auto second = Live()[0];
  MustRegister(Registration("web", 1, 700, R"({"run_for": "1s"})"));
  Tell(second->id(), ClientStatus::kComplete);
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
  Tell(Live().at(0)->id(), ClientStatus::kComplete);
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
  Tell(placed[0]->id(), ClientStatus::kFailed);
  const auto later = Live();
  ASSERT_EQ(later.size(), 2u) << "one has ended, another has its place";
  const auto& newest = later[0]->id() == placed[1]->id() ? later[1] : later[0];
  EXPECT_EQ(newest->alloc->cores.at("t"), first);
}

TEST_F(SchedulerTest, AStaticPortWaitsForTheAllocationThatHasIt) {
  MakeNodeReady();
  MustRegister(WithStaticPort(Registration("web", 1), 8080));
  const std::string old = Live().at(0)->id();
  const JobReply reply = MustRegister(WithStaticPort(Registration("web", 1, 101), 8080));
  EXPECT_THAT(Live(), IsEmpty()) << "the old one still has the port";
  const auto eval = Eval(reply.eval_id);
  ASSERT_EQ(eval->failed_groups.count("g"), 1u);
  EXPECT_EQ(eval->failed_groups.at("g").dimension_exhausted.begin()->first,
            "network: port 8080 is taken");
  EXPECT_EQ(Eval(eval->blocked_eval)->status, "blocked");
  EXPECT_EQ(JobOf("web")->status, "pending");
  Tell(old, ClientStatus::kComplete);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->ports.at(0).value, 8080);
  EXPECT_EQ(Eval(eval->blocked_eval)->status, "complete");
  EXPECT_EQ(ports.taken(), 1u);
}

TEST_F(SchedulerTest, APortThatAForeignProcessLeavesIsTaken) {
  MakeNodeReady();
  ASSERT_TRUE(ports.TakeStatic(8080).ok());
  MustRegister(WithStaticPort(Registration("web", 1), 8080));
  ASSERT_THAT(Live(), IsEmpty());
  ports.Release(8080);
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  EXPECT_EQ(Live().size(), 1u);
}

TEST_F(SchedulerTest, WhatStillHasNoRoomIsNotWrittenAgain) {
  MakeNodeReady();
  MustRegister(Registration("small", 1, 100));
  const JobReply reply = MustRegister(Registration("large", 1, 5000));
  const auto blocked = Eval(Eval(reply.eval_id)->blocked_eval);
  Tell(Live().at(0)->id(), ClientStatus::kComplete);
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
    if (record->alloc->job->id == "big") Tell(record->id(), ClientStatus::kComplete);
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

TEST_F(SchedulerTest, WhatIsStoppingCanBeToldNotToDelay) {
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
  // Once is enough.
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
  EXPECT_EQ(plan->plan.at("g").destructive, 2);
  EXPECT_EQ(plan->plan.at("g").place.size(), 20u);
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

TEST_F(SchedulerTest, ANodeFetchesWhatIsWantedOfIt) {
  MakeNodeReady();
  MustRegister(Registration("web", 2));
  const auto first = Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", 0));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->allocs.size(), 2u);
  Tell(Live().at(0)->id(), ClientStatus::kRunning);
  const Context limited = context.WithTimeout(1s);
  EXPECT_EQ(Await<Result<NodeAllocs>>(scheduler.FetchAllocs(limited, "node", first->index)).code(),
            Code::kTimeout)
      << "what the node itself has told is no news for it";
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
  EXPECT_EQ(second.allocs.size(), 2u) << "the one that is to stop and the one in its place";
  EXPECT_EQ(second.gone, std::vector<std::string>());
  Tell(ended, ClientStatus::kComplete);
  ASSERT_TRUE(scheduler.CollectAlloc(ended).ok());
  const NodeAllocs third = fetch(second.index);
  EXPECT_FALSE(third.complete);
  EXPECT_EQ(third.allocs.size(), 0u);
  EXPECT_EQ(third.gone, std::vector<std::string>{ended});
  EXPECT_EQ(fetch(0).allocs.size(), 3u);
}

}  // namespace
}  // namespace drover
