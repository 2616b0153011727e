// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/drain.h"

#include <gmock/gmock.h>

#include "host/base/gate.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::IsEmpty;

class DrainTest : public SchedulerFixture {
 protected:
  static JobRegistration Batch(const std::string& id) {
    JobRegistration registration = Registration(id, 1);
    auto job = std::make_shared<Job>(*registration.job);
    job->type = JobType::kBatch;
    registration.job = std::move(job);
    return registration;
  }
  std::shared_ptr<const NodeRecord> Node() const {
    std::shared_ptr<const NodeRecord> out;
    store.Read([&](const Tables& tables) { out = Tables::Find(tables.nodes, "node"); });
    return out;
  }
  std::string IdOf(const std::string& job) const {
    for (const auto& record : Allocs()) {
      if (record->alloc->job->id == job && !record->client_terminal()) return record->id();
    }
    return "";
  }
  DrainReply MustDrain(std::optional<DrainSpec> spec, bool mark_eligible = false) {
    const Result<DrainReply> reply =
        scheduler.Drain("node", std::move(spec), mark_eligible, {{"message", "a new disk"}});
    EXPECT_TRUE(reply.ok());
    return reply.ok() ? *reply : DrainReply();
  }
};

TEST_F(DrainTest, ServicesGoAtOnceAndWhatEndsByItselfMayGoOn) {
  MakeNodeReady();
  MustRegister(Registration("web", 1));
  MustRegister(Batch("sum"));
  const std::string web = IdOf("web"), sum = IdOf("sum");
  const DrainReply reply = MustDrain(DrainSpec{std::chrono::hours(1)});
  ASSERT_EQ(reply.eval_ids.size(), 1u);
  EXPECT_EQ(Eval(reply.eval_ids[0])->triggered_by, "node-drain");
  EXPECT_EQ(Alloc(web)->alloc->desired_description, "alloc is being migrated");
  EXPECT_EQ(Alloc(sum)->alloc->desired_status, DesiredStatus::kRun);
  EXPECT_FALSE(Node()->eligible);
  ASSERT_TRUE(Node()->drain.has_value());
  EXPECT_EQ(Node()->last_drain->status, "draining");
  EXPECT_EQ(Node()->last_drain->meta.at("message"), "a new disk");
  // A draining node takes nothing, and cannot be made eligible.
  EXPECT_EQ(scheduler.SetEligible("node", true).code(), Code::kFailedPrecondition);
  Report(web, ClientStatus::kComplete);
  EXPECT_TRUE(Node()->drain.has_value()) << "the batch job still runs";
  Report(sum, ClientStatus::kComplete);
  EXPECT_FALSE(Node()->drain.has_value());
  EXPECT_EQ(Node()->last_drain->status, "complete");
  EXPECT_FALSE(Node()->eligible);
  EXPECT_THAT(Live(), IsEmpty());
  // The replacement is placed when the node is eligible again.
  ASSERT_TRUE(scheduler.SetEligible("node", true).ok());
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->previous, web);
}

TEST_F(DrainTest, OfAGroupNotMoreGoAtATimeThanItSays) {
  MakeNodeReady();
  JobRegistration registration = Registration("web", 5);
  auto job = std::make_shared<Job>(*registration.job);
  job->groups[0].migrate_max_parallel = 2;
  registration.job = std::move(job);
  MustRegister(registration);
  MustRegister(Registration("other", 1));
  const auto leaving = [this] {
    std::vector<std::string> ids;
    for (const auto& record : Allocs()) {
      const bool stopping = record->alloc->desired_status == DesiredStatus::kStop;
      if (stopping && !record->client_terminal() && record->alloc->job->id == "web") {
        ids.push_back(record->id());
      }
    }
    return ids;
  };
  MustDrain(DrainSpec{60s});
  EXPECT_EQ(leaving().size(), 2u);
  EXPECT_TRUE(Alloc(IdOf("other"))->alloc->server_terminal()) << "each group has its own limit";
  Report(IdOf("other"), ClientStatus::kComplete);
  EXPECT_EQ(leaving().size(), 2u);
  Report(leaving()[0], ClientStatus::kComplete);
  EXPECT_EQ(leaving().size(), 2u) << "the next one leaves";
  Report(leaving()[1], ClientStatus::kFailed);
  EXPECT_EQ(leaving().size(), 2u);
  // After the deadline all remaining allocations must go.
  loop.Advance(60s);
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  EXPECT_EQ(leaving().size(), 3u);
}

TEST_F(DrainTest, TheDeadlineEndsTheRest) {
  MakeNodeReady();
  MustRegister(Batch("sum"));
  const std::string sum = IdOf("sum");
  MustDrain(DrainSpec{60s});
  loop.Advance(59s);
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  EXPECT_EQ(Alloc(sum)->alloc->desired_status, DesiredStatus::kRun);
  const auto soon = Await<Result<Duration>>(scheduler.Heartbeat(context, "node"));
  ASSERT_TRUE(soon.ok());
  EXPECT_LE(*soon, 1s) << "the next one is due at the deadline";
  loop.Advance(1s);
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  EXPECT_EQ(Alloc(sum)->alloc->desired_status, DesiredStatus::kStop);
}

TEST_F(DrainTest, TheDeadlineIsNotThatOfTheNextHeartbeat) {
  MakeNodeReady();
  MustRegister(Batch("sum"));
  const std::string sum = IdOf("sum");
  Gate gate(&loop);
  Context life(&loop);
  gate.Spawn(scheduler.Run(life));
  loop.Advance(1s);
  MustDrain(DrainSpec{1s});
  loop.Advance(900ms);
  EXPECT_EQ(Alloc(sum)->alloc->desired_status, DesiredStatus::kRun);
  loop.Advance(100ms);
  EXPECT_EQ(Alloc(sum)->alloc->desired_status, DesiredStatus::kStop);
  life.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(DrainTest, AClockThatIsSetMovesNoDeadline) {
  MakeNodeReady();
  MustRegister(Batch("sum"));
  const std::string sum = IdOf("sum");
  MustDrain(DrainSpec{60s});
  for (const int hours : {25, -50}) {
    loop.Jump(std::chrono::hours(hours));
    const auto next = Await<Result<Duration>>(scheduler.Heartbeat(context, "node"));
    ASSERT_TRUE(next.ok());
    EXPECT_EQ(Alloc(sum)->alloc->desired_status, DesiredStatus::kRun);
  }
  loop.Advance(60s);
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  EXPECT_EQ(Alloc(sum)->alloc->desired_status, DesiredStatus::kStop);
}

TEST_F(DrainTest, OfAnEarlierAgentOnlyTheRecordIsKnown) {
  NodeDrain drain;
  EXPECT_EQ(UntilForced(drain, loop), Duration::max());
  drain.force_at = loop.Wall() + Duration(5s).count();
  EXPECT_EQ(UntilForced(drain, loop), 5s);
  loop.Advance(6s);
  EXPECT_EQ(UntilForced(drain, loop), -1s);
}

TEST_F(DrainTest, ANegativeDeadlineForcesAndNoneWaitsForEver) {
  MakeNodeReady();
  MustRegister(Batch("sum"));
  const std::string sum = IdOf("sum");
  MustDrain(DrainSpec{});
  loop.Advance(std::chrono::hours(100));
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  EXPECT_EQ(Alloc(sum)->alloc->desired_status, DesiredStatus::kRun);
  MustDrain(DrainSpec{-1s});
  EXPECT_EQ(Alloc(sum)->alloc->desired_status, DesiredStatus::kStop);
}

TEST_F(DrainTest, ADrainIsCanceledAndSurvivesAnotherRegistration) {
  MakeNodeReady();
  MustRegister(Batch("sum"));
  MustDrain(DrainSpec{std::chrono::hours(1)});
  MakeNodeReady();
  EXPECT_TRUE(Node()->drain.has_value());
  EXPECT_FALSE(Node()->eligible);
  MustDrain(std::nullopt, false);
  EXPECT_FALSE(Node()->drain.has_value());
  EXPECT_EQ(Node()->last_drain->status, "canceled");
  EXPECT_FALSE(Node()->eligible);
  MustDrain(std::nullopt, true);
  EXPECT_TRUE(Node()->eligible);
  EXPECT_EQ(scheduler.Drain("stranger", std::nullopt, true, {}).code(), Code::kNotFound);
}

TEST_F(DrainTest, AnEmptyNodeIsDrainedAtOnce) {
  MakeNodeReady();
  MustDrain(DrainSpec{std::chrono::hours(1)});
  EXPECT_FALSE(Node()->drain.has_value());
  EXPECT_EQ(Node()->last_drain->status, "complete");
  EXPECT_FALSE(Node()->eligible);
}

TEST_F(DrainTest, SystemJobsLeaveLastOrNotAtAll) {
  MakeNodeReady();
  JobRegistration registration = Registration("agent", 1);
  auto job = std::make_shared<Job>(*registration.job);
  job->type = JobType::kSystem;
  registration.job = std::move(job);
  MustRegister(registration);
  MustRegister(Registration("web", 1));
  const std::string agent = IdOf("agent"), web = IdOf("web");
  MustDrain(DrainSpec{std::chrono::hours(1)});
  EXPECT_TRUE(Alloc(web)->alloc->server_terminal());
  EXPECT_FALSE(Alloc(agent)->alloc->server_terminal()) << "the others may need it";
  Report(web, ClientStatus::kComplete);
  EXPECT_TRUE(Alloc(agent)->alloc->server_terminal());
  Report(agent, ClientStatus::kComplete);
  EXPECT_FALSE(Node()->drain.has_value());
  MustDrain(std::nullopt, true);
  const std::string next = IdOf("agent"), next_web = IdOf("web");
  ASSERT_FALSE(next.empty());
  DrainSpec spec;
  spec.deadline = std::chrono::hours(1);
  spec.ignore_system_jobs = true;
  MustDrain(spec);
  Report(next_web, ClientStatus::kComplete);
  EXPECT_FALSE(Node()->drain.has_value()) << "nothing else is waited for";
  EXPECT_FALSE(Alloc(next)->alloc->server_terminal());
}

}  // namespace
}  // namespace drover
