// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/blocked_queue.h"

#include <gmock/gmock.h>

#include <functional>

#include "host/base/cpu_timer_for_test.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using What = Awaited::What;

Evaluation EvalOf(const std::string& id, int priority = 50) {
  Evaluation eval;
  eval.id = id;
  eval.priority = priority;
  return eval;
}

std::vector<std::string> Walked(
    BlockedQueue* queue, const Freed& freed,
    const BlockedQueue::IsThere& is_there = [](const Awaited&) { return true; }) {
  std::vector<std::string> ids;
  BlockedQueue::Walk walk(queue, freed, is_there);
  while (const BlockedQueue::Entry* const entry = walk.Next()) ids.push_back(entry->id);
  return ids;
}

TEST(BlockedQueueTest, OnlyWhatWaitsForWhatHasComeIsLookedAt) {
  BlockedQueue queue;
  queue.Put(EvalOf("a-room"), {{What::kRoom}}, std::nullopt);
  queue.Put(EvalOf("b-port"), {{What::kPort, 80}}, std::nullopt);
  queue.Put(EvalOf("c-port"), {{What::kPort, 443}}, std::nullopt);
  queue.Put(EvalOf("d-any"), {{What::kPort}}, std::nullopt);
  queue.Put(EvalOf("e-end"), {{What::kEnd, 0, {"default", "web"}}}, std::nullopt);
  queue.Put(EvalOf("f-node"), {{What::kNode}}, std::nullopt);
  queue.Put(EvalOf("g-unknown"), {}, std::nullopt);
  EXPECT_THAT(Walked(&queue, {}), ElementsAre("a-room", "g-unknown"));
  EXPECT_THAT(Walked(&queue, {.ports = {443}}),
              ElementsAre("a-room", "c-port", "d-any", "g-unknown"));
  EXPECT_THAT(Walked(&queue, {.other_ports = true}),
              ElementsAre("a-room", "b-port", "c-port", "d-any", "g-unknown"));
  EXPECT_THAT(Walked(&queue, {.jobs = {{"default", "web"}, {"default", "x"}}}),
              ElementsAre("a-room", "e-end", "g-unknown"));
  EXPECT_EQ(Walked(&queue, {.all = true}).size(), 7u);
}

TEST(BlockedQueueTest, WhatWaitsForSeveralThingsComesOnceAndInItsOrder) {
  BlockedQueue queue;
  const Awaited room{What::kRoom}, port{What::kPort, 80};
  queue.Put(EvalOf("both"), {room, port}, std::nullopt);
  queue.Put(EvalOf("urgent", 80), {port}, std::nullopt);
  queue.Put(EvalOf("room"), {room}, std::nullopt);
  EXPECT_THAT(Walked(&queue, {.ports = {80}}), ElementsAre("urgent", "both", "room"));
  const auto only = [&queue](What what) {
    return Walked(&queue, {.all = true}, [what](const Awaited& of) { return of.what == what; });
  };
  EXPECT_THAT(only(What::kPort), ElementsAre("urgent", "both"));
  EXPECT_THAT(only(What::kRoom), ElementsAre("both", "room"));
  queue.Put(EvalOf("both"), {{What::kNode}}, std::nullopt);
  EXPECT_THAT(Walked(&queue, {.ports = {80}}), ElementsAre("urgent", "room"));
  for (const char* id : {"both", "urgent", "room"}) queue.Erase(id);
  EXPECT_TRUE(queue.empty());
  EXPECT_THAT(Walked(&queue, {.all = true}), IsEmpty());
}

class BlockedTest : public SchedulerFixture {
 protected:
  BlockedTest() { MakeNodeReady(); }

  static JobRegistration With(JobRegistration registration,
                              const std::function<void(Job*)>& change) {
    auto job = std::make_shared<Job>(*registration.job);
    change(job.get());
    registration.job = std::move(job);
    return registration;
  }
  static JobRegistration WithPort(const std::string& id, int value) {
    return With(Registration(id, 1, 1), [value](Job* job) {
      Port port;
      port.label = "http";
      port.value = value;
      job->groups[0].networks.emplace_back().reserved_ports.push_back(port);
    });
  }
  // Ends COUNT small tasks one after the other. Waiting jobs may take their places.
  void EndSome(int count) {
    MustRegister(Registration("short", count, 1));
    for (const auto& record : Live()) {
      if (record->alloc->job->id == "short") Report(record->id(), ClientStatus::kComplete);
    }
  }
  void Beat() { EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok()); }
  void ChangeNode(const std::function<void(NodeRecord*)>& change) {
    NodeRecord node;
    store.Read([&](const Tables& tables) { node = *tables.nodes.at("node"); });
    change(&node);
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
    Beat();
  }
  std::size_t LiveOf(const std::string& id) const {
    const auto live = Live();
    return static_cast<std::size_t>(std::ranges::count_if(
        live, [&](const auto& record) { return record->alloc->job->id == id; }));
  }
};

TEST_F(BlockedTest, WhatWaitsForAPortIsLookedAtWhenItIsLeft) {
  constexpr int kJobs = 1000;
  for (int i = 0; i < kJobs; ++i) MustRegister(WithPort("web" + std::to_string(1000 + i), 8080));
  ASSERT_EQ(LiveOf("web1000"), 1u);
  Beat();
  ports.looks = 0;
  EndSome(10);
  EXPECT_EQ(ports.looks, 0) << "nobody has left a port";
  Beat();
  EXPECT_EQ(ports.looks, 1) << "one look for all that wait for it";
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  EXPECT_EQ(LiveOf("web1001"), 1u);
  EXPECT_LE(ports.looks, 6);
}

TEST_F(BlockedTest, WhatWaitsForAnotherNodeIsLookedAtWhenTheNodeChanges) {
  MustRegister(With(Registration("abroad", 1, 1), [](Job* job) { job->datacenters = {"dc2"}; }));
  MustRegister(With(Registration("picky", 1, 1),
                    [](Job* job) { job->constraints.push_back({"${meta.rack}", "=", "7"}); }));
  EndSome(3);
  Beat();
  EXPECT_EQ(Live().size(), 0u);
  ChangeNode([](NodeRecord* node) { node->meta["rack"] = "7"; });
  EXPECT_EQ(LiveOf("picky"), 1u);
  EXPECT_EQ(LiveOf("abroad"), 0u);
  ChangeNode([](NodeRecord* node) { node->datacenter = "dc2"; });
  EXPECT_EQ(LiveOf("abroad"), 1u);
}

TEST_F(BlockedTest, WhatMustNotBeBesideItsLikeComesAfterIt) {
  MustRegister(With(Registration("lone", 2, 1),
                    [](Job* job) { job->constraints.push_back({"", "distinct_hosts", "true"}); }));
  ASSERT_EQ(LiveOf("lone"), 1u);
  EndSome(2);
  EXPECT_EQ(LiveOf("lone"), 1u);
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  EXPECT_EQ(LiveOf("lone"), 1u);
  EXPECT_EQ(Live().at(0)->alloc->index, 1);
}

// The node is full when it meets the job's constraint, so the job waits for room from then on.
TEST_F(BlockedTest, WhatFindsTheNodeItWantsFullWaitsForRoom) {
  MustRegister(Registration("large", 1, 1000));
  MustRegister(With(Registration("picky", 1, 500),
                    [](Job* job) { job->constraints.push_back({"${meta.rack}", "=", "7"}); }));
  ChangeNode([](NodeRecord* node) { node->meta["rack"] = "7"; });
  EXPECT_EQ(LiveOf("picky"), 0u);
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  EXPECT_EQ(LiveOf("picky"), 1u);
}

TEST_F(BlockedTest, WhatCameWhileNoNodeWasEligibleIsPlacedOneAfterTheOther) {
  ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
  for (const char* id : {"a", "b", "c"}) MustRegister(Registration(id, 1, 600));
  ASSERT_TRUE(scheduler.SetEligible("node", true).ok());
  for (const char* id : {"a", "b", "c"}) {
    ASSERT_EQ(LiveOf(id), 1u) << id;
    Report(Live().at(0)->id(), ClientStatus::kComplete);
  }
}

TEST_F(BlockedTest, WhatWasStoppedOrPurgedMeanwhileDoesNotComeWithTheRoom) {
  MustRegister(Registration("full", 1, 1000));
  for (const char* id : {"stopped", "purged", "waits"}) MustRegister(Registration(id, 1, 600));
  ASSERT_TRUE(scheduler.Deregister({"default", "stopped"}, false, false).ok());
  ASSERT_TRUE(scheduler.Deregister({"default", "purged"}, true, false).ok());
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  EXPECT_EQ(LiveOf("stopped"), 0u);
  EXPECT_EQ(LiveOf("purged"), 0u);
  EXPECT_EQ(LiveOf("waits"), 1u);
}

TEST_F(BlockedTest, RoomForOneOfAThousandGoesToTheOldestAndNoOtherIsTried) {
  MustRegister(Registration("full", 1, 1000));
  for (int i = 0; i < 1000; ++i) {
    MustRegister(Registration("w" + std::to_string(i), 1, 600 + i % 300));
  }
  std::uint64_t before = 0;
  store.Read([&](const Tables& tables) { before = tables.last_index; });
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  EXPECT_EQ(LiveOf("w0"), 1u);
  EXPECT_EQ(Live().size(), 1u);
  std::size_t changed = 0;
  store.Read([&](const Tables& tables) {
    for (const auto& [id, eval] : tables.evals) changed += eval->modify_index > before;
  });
  EXPECT_EQ(changed, 1u);
}

TEST_F(BlockedTest, WhoseLikeHasEndedWhenOthersTookItsRoomWaitsForRoom) {
  MustRegister(With(Registration("lone", 2, 500),
                    [](Job* job) { job->constraints.push_back({"", "distinct_hosts", "true"}); }));
  const std::string first = Live().at(0)->id();
  MustRegister(Registration("other", 1, 500));
  MustRegister(With(Registration("urgent", 1, 500), [](Job* job) { job->priority = 80; }));
  Report(first, ClientStatus::kComplete);
  ASSERT_EQ(LiveOf("urgent"), 1u);
  ASSERT_EQ(LiveOf("lone"), 0u);
  for (const auto& record : Live()) {
    if (record->alloc->job->id == "other") Report(record->id(), ClientStatus::kComplete);
  }
  EXPECT_EQ(LiveOf("lone"), 1u);
}

// The evaluation is the same before and after the change of the node, so it is not written.
TEST_F(BlockedTest, EachLookSaysAnewWhatIsAwaited) {
  const auto picky_and_lone = [](int count) {
    return With(Registration("web", count, 1), [](Job* job) {
      job->constraints.push_back({"", "distinct_hosts", "true"});
      job->constraints.push_back({"${meta.rack}", "=", "7"});
    });
  };
  ChangeNode([](NodeRecord* node) { node->meta["rack"] = "7"; });
  MustRegister(picky_and_lone(1));
  const std::string first = Live().at(0)->id();
  ChangeNode([](NodeRecord* node) { node->meta["rack"] = "8"; });
  MustRegister(picky_and_lone(2));
  ASSERT_EQ(LiveOf("web"), 1u);
  ChangeNode([](NodeRecord* node) { node->meta["rack"] = "7"; });
  Report(first, ClientStatus::kComplete);
  ASSERT_EQ(LiveOf("web"), 1u);
  EXPECT_NE(Live().at(0)->id(), first);
}

// Measured in processor time of this thread.
TEST_F(BlockedTest, AnEndCostsTheSameHoweverManyWaitForSomethingElse) {
  const auto time_of_ends = [this] {
    MustRegister(Registration("short", 50, 1));
    const auto live = Live();
    const CpuTimer timer;
    for (const auto& record : live) {
      if (record->alloc->job->id == "short") Report(record->id(), ClientStatus::kComplete);
    }
    const double took = timer.Seconds();
    EXPECT_TRUE(scheduler.Deregister({"default", "short"}, true, false).ok());
    return took;
  };
  const auto wait = [this](int from, int to) {
    for (int i = from; i < to; ++i) {
      MustRegister(With(Registration("w" + std::to_string(i), 1, 1),
                        [](Job* job) { job->datacenters = {"dc2"}; }));
    }
  };
  wait(0, 20);
  Beat();
  const double few = LeastOf(time_of_ends);
  wait(20, 2000);
  Beat();
  EXPECT_LT(LeastOf(time_of_ends), few * 10 * kSanitizerFactor) << "a hundred times as many wait";
}

}  // namespace
}  // namespace drover
