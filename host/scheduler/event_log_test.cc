// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

StateEvent EventOfNode(const std::string& id) {
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
  for (const std::uint64_t index : {3, 5, 9})
    log.Add(index, cause::kNodeStatus, {EventOfNode("n")});
  log.Add(11, cause::kNodeStatus, {});
  EXPECT_EQ(log.last_index(), 9u) << "a write without events does not count";
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
    log.Add(index, cause::kNodeStatus, {EventOfNode("n")});
  }
  EXPECT_THAT(Indexes(log.From(1)), ElementsAre(3, 4, 5, 6));
  EXPECT_FALSE(log.From(1).complete);
  EXPECT_FALSE(log.From(2).complete);
  EXPECT_TRUE(log.From(3).complete);
  // One write may have more events than the limit.
  log.Add(
      7, cause::kNodeStatus,
      {EventOfNode("a"), EventOfNode("b"), EventOfNode("c"), EventOfNode("d"), EventOfNode("e")});
  EXPECT_THAT(Indexes(log.From(1)), ElementsAre(7));
  EXPECT_EQ(log.From(1).batches[0]->events.size(), 5u);
}

// An event of an allocation of JOB whose record has a text of DETAILS bytes.
StateEvent AllocEvent(const std::shared_ptr<const Job>& job, std::size_t details) {
  auto alloc = std::make_shared<Allocation>();
  alloc->id = "a";
  alloc->job = job;
  auto record = std::make_shared<AllocRecord>();
  record->alloc = alloc;
  TaskStateRecord state;
  TaskEvent event(event_type::kDriver);
  event.details[event_key::kMessage] = std::string(details, 'x');  // With() keeps its start only
  AppendTaskEvent(&state, std::move(event), 1);
  record->reported.tasks["t"] = std::make_shared<TaskStateRecord>(state);
  return {std::shared_ptr<const AllocRecord>(record)};
}

TEST(EventLogTest, HoldsNoMoreBytesThanItMayHoweverLargeItsRecordsAre) {
  constexpr std::size_t kMost = 4 << 20;
  EventLog log(8192, kMost);
  const auto job = std::make_shared<const Job>();
  for (std::uint64_t index = 1; index <= 1000; ++index) {
    log.Add(index, cause::kAllocUpdate, {AllocEvent(job, 100'000)});
    EXPECT_LE(log.bytes(), kMost);
  }
  EXPECT_GT(Indexes(log.From(1)).size(), 20u) << "it keeps as much as it may";
  EXPECT_FALSE(log.From(900).complete);
  for (std::uint64_t index = 1001; index <= 1100; ++index) {
    auto large = std::make_shared<JobRecord>();
    auto body = std::make_shared<nlohmann::json>();
    for (int i = 0; i < 10'000; ++i) (*body)["Meta"].push_back(nlohmann::json::object());
    large->job = job;
    large->json = std::shared_ptr<const nlohmann::json>(std::move(body));
    log.Add(index, cause::kJobRegistered, {{std::shared_ptr<const JobRecord>(large)}});
    EXPECT_LE(log.bytes(), kMost) << "parsed JSON takes more memory than its text";
  }
  EXPECT_LT(Indexes(log.From(1)).size(), 8u);
}

TEST(EventLogTest, ASharedPartCountsOnceAndUntilItsLastEventHasGone) {
  constexpr std::size_t kLarge = 1 << 20;
  EventLog log(10, std::size_t{64} << 20);
  auto job = std::make_shared<Job>();
  job->meta["key"] = std::string(kLarge, 'x');
  for (std::uint64_t index = 1; index <= 10; ++index) {
    log.Add(index, cause::kAllocUpdate, {AllocEvent(job, 10)});
  }
  EXPECT_GT(log.bytes(), kLarge);
  EXPECT_LT(log.bytes(), 2 * kLarge);
  for (std::uint64_t index = 11; index <= 20; ++index) {
    log.Add(index, cause::kNodeStatus, {EventOfNode("n")});
  }
  EXPECT_LT(log.bytes(), kLarge / 10);
}

TEST(EventLogTest, OfSeveralChangesOfARecordTheLastCounts) {
  EventLog log;
  StateEvent last = EventOfNode("a");
  last.erased = true;
  log.Add(1, cause::kNodeStatus, {EventOfNode("a"), EventOfNode("b"), last});
  const auto batch = log.From(1).batches.at(0);
  ASSERT_EQ(batch->events.size(), 2u);
  EXPECT_EQ(batch->events[0].Key(), "b");
  EXPECT_TRUE(batch->events[1].erased);
}

// Returns the topics and types of new events, as clients would read them.
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

TEST_F(SchedulerEventTest, ShowTheLifeOfAJob) {
  MakeNodeReady();
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(Topic::kNode, "NodeRegistration"),
                                       Pair(Topic::kNode, "NodeStreamEvent")));
  MustRegister(Registration("web", 1));
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(Topic::kJob, "JobRegistered"),
                                       Pair(Topic::kEvaluation, "JobRegistered"),
                                       Pair(Topic::kAllocation, "PlanResult"),
                                       Pair(Topic::kEvaluation, "EvaluationUpdated"),
                                       Pair(Topic::kJob, "EvaluationUpdated")));
  Report(Live()[0]->id(), ClientStatus::kRunning);
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(Topic::kAllocation, "AllocationUpdated")));
  const std::string id = Live()[0]->id();
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  const auto page = store.events().From(next_);
  ASSERT_EQ(page.batches.size(), 2u);
  EXPECT_EQ(page.batches[0]->events[0].Key(), "web");
  EXPECT_EQ(page.batches[0]->events[0].Namespace(), "default");
  EXPECT_TRUE(page.batches[0]->events[0].erased);
  EXPECT_THAT(NewEvents(), ElementsAre(Pair(Topic::kJob, "JobDeregistered"),
                                       Pair(Topic::kEvaluation, "JobDeregistered"),
                                       Pair(Topic::kAllocation, "PlanResult"),
                                       Pair(Topic::kEvaluation, "EvaluationUpdated")));
  Report(id, ClientStatus::kComplete);
  NewEvents();
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  EXPECT_THAT(NewEvents(), ElementsAre()) << "only collected jobs make events";
}

TEST_F(SchedulerEventTest, AWaitEndsWithTheNextEvents) {
  MakeNodeReady();
  Status waited = Error(Code::kInternal, "nobody has waited");
  const auto wait = [](Context until, StateStore* of, std::uint64_t newer,
                       Status* out) -> Co<void> { *out = co_await of->WaitEvents(until, newer); };
  const std::uint64_t last = store.events().last_index();
  loop.Spawn(wait(context, &store, last - 1, &waited));
  loop.RunReady();
  EXPECT_TRUE(waited.ok()) << "the events are there already";
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
