// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/placement/preemption.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PreemptionTest : public SchedulerFixture {
 protected:
  static JobRegistration WithPriority(const std::string& id, int count, int memory, int priority,
                                      JobType type = JobType::kService) {
    JobRegistration registration = Registration(id, count, memory);
    auto job = std::make_shared<Job>(*registration.job);
    job->priority = priority;
    job->type = type;
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
    registration.job = std::move(job);
    return registration;
  }
  // The jobs of the allocations that JOB displaces on the node.
  std::vector<std::string> Victims(const JobRegistration& job) const {
    std::vector<std::string> names;
    store.Read([&](const Tables& tables) {
      const NodeRecord& node = *tables.nodes.at("node");
      for (const auto& record :
           ToPreempt(*job.job, job.job->groups[0], node, tables, NodeCapacity(node, tables), {})) {
        names.push_back(record->alloc->job->id);
      }
    });
    return names;
  }
  AllocRecords LiveOf(const std::string& job) const {
    AllocRecords out = Live();
    std::erase_if(out, [&job](const auto& record) { return record->alloc->job->id != job; });
    return out;
  }
};

TEST_F(PreemptionTest, TheLowestPriorityGoesAndNoMoreThanNeeded) {
  MakeNodeReady();
  MustRegister(WithPriority("low", 2, 200, 10));
  MustRegister(WithPriority("middle", 2, 200, 30));
  EXPECT_THAT(Victims(WithPriority("new", 1, 300, 50)), ElementsAre("low"));
  EXPECT_THAT(Victims(WithPriority("new", 1, 500, 50)), ElementsAre("low", "low"));
  EXPECT_THAT(Victims(WithPriority("new", 1, 700, 50)), ElementsAre("low", "low", "middle"));
  EXPECT_THAT(Victims(WithPriority("new", 1, 2000, 50)), IsEmpty()) << "the node is too small";
}

TEST_F(PreemptionTest, APriorityMustBeLowerByTen) {
  MakeNodeReady();
  MustRegister(WithPriority("other", 1, 900, 50));
  EXPECT_THAT(Victims(WithPriority("new", 1, 500, 59)), IsEmpty());
  EXPECT_THAT(Victims(WithPriority("new", 1, 500, 60)), ElementsAre("other"));
}

TEST_F(PreemptionTest, AJobDoesNotDisplaceItsOwnEarlierVersion) {
  MakeNodeReady();
  MustRegister(WithPriority("web", 1, 900, 10));
  EXPECT_THAT(Victims(WithPriority("web", 2, 500, 90)), IsEmpty());
  EXPECT_THAT(Victims(WithPriority("other", 2, 500, 90)), ElementsAre("web"));
}

TEST_F(PreemptionTest, OfEqualOnesTheNearestFitGoes) {
  MakeNodeReady();
  MustRegister(WithPriority("small", 1, 100, 10));
  MustRegister(WithPriority("right", 1, 310, 10));
  MustRegister(WithPriority("large", 1, 590, 10));
  EXPECT_THAT(Victims(WithPriority("new", 1, 300, 50)), ElementsAre("right"));
  EXPECT_THAT(Victims(WithPriority("new", 1, 650, 50)), SizeIs(2));
}

TEST_F(PreemptionTest, ASystemJobTakesItsRoomAndTheOtherWaits) {
  MakeNodeReady();
  MustRegister(WithPriority("web", 1, 900, 50));
  const std::string web = LiveOf("web").at(0)->id();
  Report(web, ClientStatus::kRunning);
  MustRegister(WithPriority("agent", 1, 300, 80, JobType::kSystem));
  ASSERT_THAT(LiveOf("agent"), SizeIs(1));
  const auto agent = LiveOf("agent")[0];
  const auto victim = Alloc(web);
  EXPECT_EQ(victim->alloc->desired_status, DesiredStatus::kEvict);
  EXPECT_EQ(victim->alloc->desired_description, "Preempted by alloc ID " + agent->id());
  EXPECT_EQ(victim->changes().preempted_by, agent->id());
  EXPECT_THAT(agent->changes().preempted, ElementsAre(web));
  std::size_t preemptions = 0, blocked = 0;
  store.Read([&](const Tables& tables) {
    for (const auto& [id, eval] : tables.evals) {
      preemptions += eval->job_id == "web" && eval->triggered_by == "preemption";
    }
    blocked = tables.blocked_evals;
  });
  EXPECT_EQ(preemptions, 1u);
  EXPECT_EQ(blocked, 1u);
  // The node starts the new one when the old one has ended.
  const auto wanted = Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", 0));
  ASSERT_TRUE(wanted.ok());
  EXPECT_THAT(wanted->after.at(agent->id()), ElementsAre(web));
  Report(web, ClientStatus::kComplete);
  EXPECT_THAT(LiveOf("web"), IsEmpty()) << "its room is taken";
  ASSERT_TRUE(scheduler.Deregister({"default", "agent"}, false, false).ok());
  Report(agent->id(), ClientStatus::kComplete);
  EXPECT_THAT(LiveOf("web"), SizeIs(1)) << "it goes on";
}

TEST_F(PreemptionTest, ThoseThatDisplaceNothingAreCarriedOutTogether) {
  MakeNodeReady();
  MustRegister(WithPriority("agent", 1, 10, 80, JobType::kSystem));
  for (int i = 0; i < 20; ++i) MustRegister(WithPriority("web" + std::to_string(i), 1, 10, 50));
  const Result<DrainReply> evaluated = scheduler.EvaluateNode("node");
  ASSERT_TRUE(evaluated.ok());
  EXPECT_THAT(evaluated->eval_ids, SizeIs(21));
  std::uint64_t last = 0;
  store.Read([&](const Tables& tables) { last = tables.last_index; });
  EXPECT_EQ(last, evaluated->index + 2) << "one write for the system job, and one for all others";
  for (const std::string& id : evaluated->eval_ids) EXPECT_EQ(Eval(id)->status, "complete");
}

TEST_F(PreemptionTest, APlanNamesWhatWouldMakeRoom) {
  MakeNodeReady();
  MustRegister(WithPriority("web", 1, 900, 50));
  const auto plan = scheduler.Plan(WithPriority("agent", 1, 300, 80, JobType::kSystem));
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->failed_groups, IsEmpty());
  ASSERT_THAT(plan->preempted, SizeIs(1));
  EXPECT_THAT(plan->preempted.at("g"), ElementsAre(LiveOf("web").at(0)));
  EXPECT_THAT(scheduler.Plan(WithPriority("db", 1, 300, 80))->preempted, IsEmpty());
  EXPECT_EQ(LiveOf("web").at(0)->alloc->desired_status, DesiredStatus::kRun);
}

TEST_F(PreemptionTest, AServiceDisplacesOthersOnlyIfItIsConfigured) {
  MakeNodeReady();
  MustRegister(WithPriority("web", 1, 900, 20));
  MustRegister(WithPriority("db", 1, 300, 90));
  EXPECT_THAT(LiveOf("db"), IsEmpty());
  EXPECT_THAT(LiveOf("web"), SizeIs(1));
  SchedulerOptions options;
  options.preemption.service = true;
  Scheduler displacing(&loop, &store, &ports, options);
  ASSERT_TRUE(displacing.Evaluate({"default", "db"}).ok());
  EXPECT_THAT(LiveOf("db"), SizeIs(1));
  EXPECT_THAT(LiveOf("web"), IsEmpty());
}

TEST_F(PreemptionTest, WhatWaitsDisplacesOthersAsSoonAsAnOperatorAllowsIt) {
  MakeNodeReady();
  MustRegister(WithPriority("web", 1, 900, 20));
  MustRegister(WithPriority("db", 1, 300, 90));
  ASSERT_THAT(LiveOf("db"), IsEmpty());
  PreemptionConfig preemption;
  preemption.service = true;
  ASSERT_TRUE(scheduler.SetConfig(preemption, std::nullopt).has_value());
  EXPECT_THAT(LiveOf("db"), SizeIs(1));
  EXPECT_THAT(LiveOf("web"), IsEmpty());
}

TEST_F(PreemptionTest, WhatIsDisplacedIsNotChangedByItsOwnJobAtTheSameTime) {
  MakeNodeReady();
  MustRegister(WithPriority("other", 1, 400, 95));
  MustRegister(WithPriority("web", 1, 500, 20));
  const std::string web = LiveOf("web").at(0)->id();
  MustRegister(WithPriority("web", 1, 650, 20));  // finds no room, even without the old one
  MustRegister(WithPriority("db", 1, 300, 90));
  ASSERT_EQ(Alloc(web)->alloc->desired_status, DesiredStatus::kRun);
  PreemptionConfig preemption;
  preemption.service = true;
  ASSERT_TRUE(scheduler.SetConfig(preemption, std::nullopt).has_value());
  ASSERT_THAT(LiveOf("db"), SizeIs(1));
  EXPECT_EQ(Alloc(web)->alloc->desired_status, DesiredStatus::kEvict);
  EXPECT_EQ(Alloc(web)->changes().preempted_by, LiveOf("db")[0]->id());
  EXPECT_THAT(LiveOf("web"), IsEmpty());
}

TEST_F(PreemptionTest, WhatWaitsGoesOnWhenTheRoomOfOthersIsEnoughTogether) {
  MakeNodeReady();
  PreemptionConfig preemption;
  preemption.service = true;
  ASSERT_TRUE(scheduler.SetConfig(preemption, std::nullopt).has_value());
  MustRegister(WithPriority("one", 1, 450, 85));
  MustRegister(WithPriority("two", 1, 450, 85));
  const std::string one = LiveOf("one").at(0)->id(), two = LiveOf("two").at(0)->id();
  MustRegister(WithPriority("high", 1, 600, 90));
  ASSERT_TRUE(scheduler.Deregister({"default", "one"}, false, false).ok());
  Report(one, ClientStatus::kComplete);
  MustRegister(WithPriority("low", 1, 500, 10));
  EXPECT_THAT(LiveOf("low"), SizeIs(1));
  EXPECT_THAT(LiveOf("high"), IsEmpty());
  ASSERT_TRUE(scheduler.Deregister({"default", "two"}, false, false).ok());
  Report(two, ClientStatus::kComplete);  // 500 MB are free, and "low" has the rest
  EXPECT_THAT(LiveOf("high"), SizeIs(1));
  EXPECT_THAT(LiveOf("low"), IsEmpty());
}

// Its evaluations have a priority of their own, so they come before those that may displace it.
TEST_F(PreemptionTest, WhatFindsItsPlaceAndIsDisplacedAtTheSameTimeWaitsOnce) {
  MakeNodeReady();
  PreemptionConfig preemption;
  preemption.service = true;
  ASSERT_TRUE(scheduler.SetConfig(preemption, std::nullopt).has_value());
  MustRegister(WithPriority("other", 1, 500, 95));
  const std::string other = LiveOf("other").at(0)->id();
  JobRegistration web = WithPriority("web", 2, 300, 10);
  web.eval_priority = 100;
  MustRegister(web);
  ASSERT_THAT(LiveOf("web"), SizeIs(1)) << "the second one waits";
  const std::string first = LiveOf("web")[0]->id();
  MustRegister(WithPriority("db", 1, 600, 90));
  ASSERT_THAT(LiveOf("db"), IsEmpty());
  ASSERT_TRUE(scheduler.Deregister({"default", "other"}, false, false).ok());
  Report(other, ClientStatus::kComplete);
  ASSERT_THAT(LiveOf("db"), SizeIs(1));
  ASSERT_THAT(LiveOf("web"), SizeIs(1)) << "the second one has its place, the first one had to go";
  ASSERT_EQ(Alloc(first)->alloc->desired_status, DesiredStatus::kEvict);
  const std::string db = LiveOf("db")[0]->id();
  Report(first, ClientStatus::kComplete);
  ASSERT_TRUE(scheduler.Deregister({"default", "db"}, false, false).ok());
  Report(db, ClientStatus::kComplete);
  EXPECT_THAT(LiveOf("web"), SizeIs(2));
}

TEST_F(PreemptionTest, WhatItsOwnJobHasJustStoppedIsNotDisplaced) {
  MakeNodeReady();
  PreemptionConfig preemption;
  preemption.service = true;
  ASSERT_TRUE(scheduler.SetConfig(preemption, std::nullopt).has_value());
  MustRegister(WithPriority("other", 1, 600, 95));
  const std::string other = LiveOf("other").at(0)->id();
  MustRegister(WithPriority("web", 1, 300, 10));
  const std::string old = LiveOf("web").at(0)->id();
  MustRegister(WithPriority("web", 1, 410, 100));  // finds no room, even without the old one
  MustRegister(WithPriority("db", 1, 420, 90));
  ASSERT_EQ(Alloc(old)->alloc->desired_status, DesiredStatus::kRun);
  ASSERT_TRUE(scheduler.Deregister({"default", "other"}, false, false).ok());
  Report(other, ClientStatus::kComplete);
  ASSERT_THAT(LiveOf("web"), SizeIs(1));
  EXPECT_EQ(Alloc(old)->alloc->desired_status, DesiredStatus::kStop);
  EXPECT_EQ(Alloc(old)->next, LiveOf("web")[0]->id());
  EXPECT_THAT(LiveOf("db"), IsEmpty()) << "the room of the old one is not free yet";
  Report(old, ClientStatus::kComplete);
  EXPECT_THAT(LiveOf("db"), SizeIs(1));
}

TEST_F(PreemptionTest, ADeploymentWaitsForWhatHadToMakeRoom) {
  MakeNodeReady();
  MustRegister(With(WithPriority("web", 2, 400, 50), [](Job* job) {
    job->groups[0].rollout.max_parallel = 1;
    job->groups[0].rollout.progress_deadline = 1h;
  }));
  const auto deployment = [this] {
    std::shared_ptr<const Deployment> newest;
    store.Read([&newest](const Tables& tables) {
      newest = tables.DeploymentOf(*tables.jobs.at({"default", "web"}));
    });
    return newest;
  };
  const auto report_healthy = [this](const std::string& id) {
    AllocUpdate update;
    update.id = id;
    update.status = {ClientStatus::kRunning, "runs"};
    update.health = AllocHealth{true, loop.Wall()};
    EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
  };
  ASSERT_NE(deployment(), nullptr);
  const auto both = LiveOf("web");
  ASSERT_THAT(both, SizeIs(2));
  report_healthy(both[0]->id());
  MustRegister(WithPriority("agent", 1, 300, 80, JobType::kSystem));
  ASSERT_THAT(LiveOf("agent"), SizeIs(1));
  const std::string agent = LiveOf("agent")[0]->id();
  ASSERT_THAT(LiveOf("web"), SizeIs(1));
  Report(both[LiveOf("web")[0] == Alloc(both[0]->id()) ? 1 : 0]->id(), ClientStatus::kComplete);
  EXPECT_EQ(deployment()->status, "running");
  EXPECT_EQ(deployment()->groups.at("g").unhealthy, 0) << "it did nothing wrong";
  ASSERT_TRUE(scheduler.Deregister({"default", "agent"}, false, false).ok());
  Report(agent, ClientStatus::kComplete);
  ASSERT_THAT(LiveOf("web"), SizeIs(2));
  for (const auto& record : LiveOf("web")) {
    EXPECT_EQ(record->alloc->deployment_id, deployment()->id);
    report_healthy(record->id());
  }
  EXPECT_EQ(deployment()->status, "successful");
}

TEST_F(PreemptionTest, WhatStopsAlreadyIsNotDisplaced) {
  MakeNodeReady();
  MustRegister(WithPriority("web", 1, 900, 50));
  const std::string web = LiveOf("web").at(0)->id();
  Report(web, ClientStatus::kRunning);
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  MustRegister(WithPriority("agent", 1, 300, 80, JobType::kSystem));
  EXPECT_THAT(LiveOf("agent"), IsEmpty()) << "it waits for the end";
  EXPECT_EQ(Alloc(web)->alloc->desired_status, DesiredStatus::kStop);
  Report(web, ClientStatus::kComplete);
  EXPECT_THAT(LiveOf("agent"), SizeIs(1));
}

TEST_F(PreemptionTest, HoweverManyDisplaceOthersTheRestIsTriedOnce) {
  MakeNodeReady();
  MustRegister(WithPriority("low", 9, 100, 10));
  ports.foreign.insert({"127.0.0.1", 8080});  // another process has it
  for (const char* id : {"p1", "p2", "p3", "p4", "p5"}) {
    MustRegister(With(WithPriority(id, 1, 200, 90), [](Job* job) {
      Port port;
      port.label = "http";
      port.value = 8080;
      job->groups[0].networks.emplace_back().reserved_ports.push_back(port);
    }));
  }
  for (const char* id : {"db1", "db2", "db3"}) MustRegister(WithPriority(id, 1, 200, 80));
  PreemptionConfig preemption;
  preemption.service = true;
  ports.looks = 0;
  ASSERT_TRUE(scheduler.SetConfig(preemption, std::nullopt).has_value());
  for (const char* id : {"db1", "db2", "db3"}) EXPECT_THAT(LiveOf(id), SizeIs(1));
  EXPECT_THAT(LiveOf("p1"), IsEmpty());
  EXPECT_LE(ports.looks, 5);
}

TEST_F(PreemptionTest, TwoThatDisplaceOthersNeverTakeTheSameRoom) {
  SchedulerOptions options;
  std::size_t counted = 0;
  options.count_displaced = [&counted](std::size_t count) { counted += count; };
  options.preemption.service = true;
  MakeNodeReady();
  MustRegister(WithPriority("web", 4, 240, 20));
  Scheduler displacing(&loop, &store, &ports, options);
  ASSERT_TRUE(displacing.Register(WithPriority("db", 3, 300, 90)).ok());
  EXPECT_THAT(LiveOf("db"), SizeIs(3));
  int used = 0;
  for (const auto& record : Live()) used += record->alloc->job->id == "db" ? 300 : 240;
  EXPECT_LE(used, 1000);
  const auto all = Allocs();
  EXPECT_EQ(counted, static_cast<std::size_t>(std::ranges::count_if(all, [](const auto& record) {
              return record->alloc->desired_status == DesiredStatus::kEvict;
            })));
  EXPECT_GT(counted, 0u);
}

}  // namespace
}  // namespace drover
