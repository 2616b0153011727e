// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Jobs whose constraints decide when their allocations are placed.
#include <gmock/gmock.h>

#include <algorithm>

#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

class ConstrainedTest : public SchedulerFixture {
 protected:
  void RegisterNode(const std::string& rack) {
    NodeRecord node;
    node.id = "node";
    node.name = "n1";
    node.cpu_mhz = node.memory_mb = 1000;
    node.disk_mb = 1'000'000;
    node.meta["rack"] = rack;
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  }
  static JobRegistration OnRack(const std::string& rack,
                                const std::function<std::vector<Constraint>*(Job*)>& where) {
    JobRegistration registration = Registration("web", 2);
    auto job = std::make_shared<Job>(*registration.job);
    *where(job.get()) = {{"${meta.rack}", "=", rack}};
    registration.job = std::move(job);
    registration.json = std::make_shared<nlohmann::json>(nlohmann::json{{"Rack", rack}});
    return registration;
  }
  // A service of COUNT in each of the groups g and h.
  static JobRegistration Apart(int count, const char* operand, const char* most, bool of_group) {
    JobRegistration registration = Registration("web", count);
    auto job = std::make_shared<Job>(*registration.job);
    (of_group ? job->groups[0].constraints : job->constraints) = {{"${meta.rack}", operand, most}};
    job->groups.push_back(job->groups[0]);
    job->groups[1].name = "h";
    registration.job = std::move(job);
    registration.json = std::make_shared<nlohmann::json>(nlohmann::json{
        {"Count", count}, {"Operand", operand}, {"Most", most}, {"Group", of_group}});
    return registration;
  }
};

TEST_F(ConstrainedTest, WhatIsUnmetWaitsUntilTheNodeMeetsIt) {
  const std::function<std::vector<Constraint>*(Job*)> places[] = {
      [](Job* job) { return &job->constraints; },
      [](Job* job) { return &job->groups[0].constraints; },
      [](Job* job) { return &job->groups[0].tasks[0].constraints; }};
  for (const auto& where : places) {
    RegisterNode("7");
    const auto planned = scheduler.Plan(OnRack("8", where));
    ASSERT_TRUE(planned.ok());
    EXPECT_THAT(planned->failed_groups, SizeIs(1));
    const auto eval = Eval(MustRegister(OnRack("8", where)).eval_id);
    const PlacementFailure& failure = eval->failed_groups.at("g");
    EXPECT_THAT(failure.constraint_filtered, ElementsAre(Pair("${meta.rack} = 8", 1)));
    EXPECT_EQ(failure.nodes_evaluated, 1);
    EXPECT_EQ(failure.nodes_filtered, 1);
    EXPECT_EQ(failure.nodes_exhausted, 0);
    EXPECT_EQ(failure.coalesced_failures, 1);
    EXPECT_THAT(Live(), SizeIs(0));
    const std::uint64_t index = Eval(eval->blocked_eval)->modify_index;
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
    EXPECT_EQ(Eval(eval->blocked_eval)->modify_index, index)
        << "nothing has changed, so nothing is tried";
    RegisterNode("8");
    EXPECT_EQ(Eval(eval->blocked_eval)->status, "complete");
    EXPECT_THAT(Live(), SizeIs(2));
    ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, true).ok());
    for (const auto& record : Allocs()) Report(record->id(), ClientStatus::kComplete);
  }
}

TEST_F(ConstrainedTest, OnlySoManyAreOnTheNodeTogether) {
  RegisterNode("7");
  struct Case {
    const char* operand;
    const char* most;
    bool of_group;
    std::size_t live;
  };
  for (const Case& c :
       {Case{"distinct_hosts", "", false, 1}, Case{"distinct_hosts", "true", true, 2},
        Case{"distinct_hosts", "false", false, 6}, Case{"distinct_property", "", true, 2},
        Case{"distinct_property", "2", false, 2}, Case{"distinct_property", "2", true, 4}}) {
    const auto planned = scheduler.Plan(Apart(3, c.operand, c.most, c.of_group));
    ASSERT_TRUE(planned.ok());
    EXPECT_EQ(planned->failed_groups.empty(), c.live == 6) << c.operand << c.most;
    const auto eval = Eval(MustRegister(Apart(3, c.operand, c.most, c.of_group)).eval_id);
    EXPECT_THAT(Live(), SizeIs(c.live)) << c.operand << c.most;
    EXPECT_EQ(eval->blocked_eval.empty(), c.live == 6);
    ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, true).ok());
    for (const auto& record : Allocs()) Report(record->id(), ClientStatus::kComplete);
  }
}

TEST_F(ConstrainedTest, TheNextOneComesWhenTheOneBeforeItHasEnded) {
  RegisterNode("7");
  const auto eval = Eval(MustRegister(Apart(1, "distinct_hosts", "", false)).eval_id);
  EXPECT_THAT(eval->failed_groups.at("h").constraint_filtered,
              ElementsAre(Pair("${meta.rack} distinct_hosts", 1)));
  ASSERT_THAT(Live(), SizeIs(1));
  EXPECT_EQ(Live()[0]->alloc->group_name, "g");
  Report(Live()[0]->id(), ClientStatus::kFailed);
  ASSERT_THAT(Live(), SizeIs(1));
  EXPECT_EQ(Live()[0]->alloc->group_name, "h");
  // A replacement does not count beside the allocation that it replaces.
  Report(Live()[0]->id(), ClientStatus::kRunning);
  ASSERT_TRUE(scheduler.StopAlloc(Live()[0]->id(), false).ok());
  const auto all = Allocs();
  EXPECT_THAT(all, SizeIs(3));
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const auto& record) { return record->alloc->group_name == "h"; }),
            2);
}

TEST_F(ConstrainedTest, WhatRunsGoesOnWithOtherConstraints) {
  const auto where = [](Job* job) { return &job->groups[0].constraints; };
  RegisterNode("7");
  MustRegister(OnRack("7", where));
  const auto before = Live();
  ASSERT_THAT(before, SizeIs(2));
  MustRegister(OnRack("8", where));
  ASSERT_THAT(Live(), SizeIs(2));
  EXPECT_EQ(Live()[0]->id(), before[0]->id());
  EXPECT_EQ(Live()[0]->job->version, 0u) << "the new version waits";
  RegisterNode("8");
  ASSERT_THAT(Live(), SizeIs(2));
  EXPECT_EQ(Live()[0]->id(), before[0]->id());
  EXPECT_EQ(Live()[0]->job->version, 1u);
}

}  // namespace
}  // namespace drover
