// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

StateEvent NodeEvent(const std::string& id) {
  auto node = std::make_shared<NodeRecord>();
  node->id = id;
  return {std::shared_ptr<const NodeRecord>(node)};
}

std::vector<std::uint64_t> Indexes(const EventLog::Page& page) {
  std::vector<std::uint64_t> indexes;
  for (const auto& batch : page.batches) indexes.push_back(batch->index);
  return indexes;
}

TEST(EventLogTest, BeginsAtTheClosestIndexAndGoesOnWhereItEnded) {
  EventLog log;
  for (const std::uint64_t index : {3, 5, 9}) log.Add(index, cause::kNodeStatus, {NodeEvent("n")});
  log.Add(11, cause::kNodeStatus, {});
  EXPECT_EQ(log.last_index(), 9u) << "a write without events is none";
  EventLog::Page page = log.From(1);
  EXPECT_THAT(Indexes(page), ElementsAre(3, 5, 9));
  EXPECT_EQ(page.next, 10u);
  EXPECT_THAT(Indexes(log.From(4)), ElementsAre(5, 9));
  page = log.From(20);
  EXPECT_TRUE(page.batches.empty());
  EXPECT_EQ(page.next, 20u);
}

TEST(EventLogTest, ForgetsTheOldestAndSaysSo) {
  EventLog log(4);
  for (std::uint64_t index = 1; index <= 6; ++index) {
    log.Add(index, cause::kNodeStatus, {NodeEvent("n")});
  }
  EXPECT_THAT(Indexes(log.From(1)), ElementsAre(3, 4, 5, 6));
  EXPECT_FALSE(log.From(1).complete);
  EXPECT_FALSE(log.From(2).complete);
  EXPECT_TRUE(log.From(3).complete);
  // One write may have more than is kept.
  log.Add(7, cause::kNodeStatus,
          {NodeEvent("a"), NodeEvent("b"), NodeEvent("c"), NodeEvent("d"), NodeEvent("e")});
  EXPECT_THAT(Indexes(log.From(1)), ElementsAre(7));
  EXPECT_EQ(log.From(1).batches[0]->events.size(), 5u);
}

TEST(EventLogTest, OfSeveralChangesOfARecordTheLastCounts) {
  EventLog log;
  StateEvent last = NodeEvent("a");
  last.erased = true;
  log.Add(1, cause::kNodeStatus, {NodeEvent("a"), NodeEvent("b"), last});
  const auto batch = log.From(1).batches.at(0);
  ASSERT_EQ(batch->events.size(), 2u);
  EXPECT_EQ(batch->events[0].Key(), "b");
  EXPECT_TRUE(batch->events[1].erased);
}

// What clients would read: topics with types.
class SchedulerEventTest : public SchedulerFixture {
 protected:
  std::vector<std::pair<Topic, std::string>> NewEvents() {
    std::vector<std::pair<Topic, std::string>> out;
    const EventLog::Page page = store.events().From(next_);
    for (const auto& batch : page.batches) {
      for (const StateEvent& event : batch->events) {
        out.emplace_back(event.topic(), batch->TypeOf(event));
      }
    }
    next_ = page.next;
    return out;
  }
  std::uint64_t next_ = 1;
};

TEST_F(SchedulerEventTest, TellTheLifeOfAJob) {
  MakeNodeReady();
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(Topic::kNode, "NodeRegistration"),
                                       Pair(Topic::kNode, "NodeStreamEvent")));
  MustRegister(Registration("web", 1));
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(Topic::kAllocation, "PlanResult"),
                                       Pair(Topic::kEvaluation, "JobRegistered"),
                                       Pair(Topic::kJob, "JobRegistered")));
  Tell(Live()[0]->id(), ClientStatus::kRunning);
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(Topic::kAllocation, "AllocationUpdated")));
  const std::string id = Live()[0]->id();
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  const auto page = store.events().From(next_);
  ASSERT_EQ(page.batches.size(), 1u);
  EXPECT_EQ(page.batches[0]->events[0].Key(), "web");
  EXPECT_EQ(page.batches[0]->events[0].Namespace(), "default");
  EXPECT_TRUE(page.batches[0]->events[0].erased);
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(Topic::kJob, "JobDeregistered"),
                                       Pair(Topic::kAllocation, "PlanResult"),
                                       Pair(Topic::kEvaluation, "JobDeregistered")));
  Tell(id, ClientStatus::kComplete);
  NewEvents();
  scheduler.CollectGarbage({});
  EXPECT_THAT(NewEvents(), ElementsAre()) << "only jobs that are collected are events";
}

TEST_F(SchedulerEventTest, AWaitEndsWithTheNextEvents) {
  MakeNodeReady();
  Status waited = Error(Code::kInternal, "nobody has waited");
  const auto wait = [](Context until, StateStore* of, std::uint64_t newer,
                       Status* out) -> Co<void> { *out = co_await of->WaitEvents(until, newer); };
  const std::uint64_t last = store.events().last_index();
  loop.Spawn(wait(context, &store, last - 1, &waited));
  loop.RunReady();
  EXPECT_TRUE(waited.ok()) << "they are there";
  waited = Error(Code::kInternal, "nobody has waited");
  loop.Spawn(wait(context, &store, last, &waited));
  loop.RunReady();
  EXPECT_FALSE(waited.ok());
  MustRegister(Registration("web", 1));
  loop.RunReady();
  EXPECT_TRUE(waited.ok());
  EXPECT_EQ(store.waiting(), 0u);
}

}  // namespace
}  // namespace drover
