// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/health/alloc_health_hook.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "host/alloc/alloc_fixture.h"
#include "host/base/keyed_listeners.h"

namespace drover {
namespace {

class SwitchedChecks : public CheckStates {
 public:
  bool Passing(const std::string&) const override { return passing_; }
  void Expect(const std::string& alloc_id) override { expected.push_back(alloc_id); }
  Subscription OnChange(const std::string& alloc_id, std::function<void()> changed) override {
    return listeners_.Add(alloc_id, std::move(changed));
  }
  void Set(const std::string& alloc_id, bool passing) {
    passing_ = passing;
    listeners_.Call(alloc_id);
  }

  std::vector<std::string> expected;

 private:
  bool passing_ = true;
  KeyedListeners<std::string> listeners_;
};

class AllocHealthHookTest : public testing::Test {
 protected:
  AllocHealthHookTest() {
    fixture_.env.extra_hooks.push_back([this](const AllocHookEnv& env) {
      return std::make_unique<AllocHealthHook>(env, &checks_);
    });
    fixture_.AddTask("web");
    fixture_.deployment_id = "d1";
  }

  std::optional<AllocHealth> Health() { return fixture_.runner().snapshot()->health; }
  std::string Told(const std::string& task) {
    std::string told;
    for (const TaskEvent& event : fixture_.state(task).events) {
      if (event.type == event_type::kAllocUnhealthy) told = DisplayMessage(event);
    }
    return told;
  }

  SwitchedChecks checks_;  // outlives the hooks
  AllocFixture fixture_;
};

TEST_F(AllocHealthHookTest, WhatRunsLongEnoughIsHealthy) {
  fixture_.Start();
  fixture_.loop.Advance(10s - 1ns);
  EXPECT_EQ(Health(), std::nullopt);
  fixture_.loop.Advance(1ns);
  EXPECT_EQ(Health(), (AllocHealth{true, fixture_.loop.Wall()}));
  EXPECT_EQ(Told("web"), "");
  fixture_.loop.Advance(1h);
  EXPECT_EQ(fixture_.loop.live_timers(), 0u) << "nothing is watched any more";
}

TEST_F(AllocHealthHookTest, TheVerdictStays) {
  fixture_.driver.On("web").run_for = 15s;
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  ASSERT_TRUE(Health().has_value());
  EXPECT_TRUE(Health()->healthy);
  EXPECT_EQ(Told("web"), "");
}

TEST_F(AllocHealthHookTest, AFailedTaskIsToldAtOnce) {
  fixture_.driver.On("web").run_for = 5s;
  fixture_.driver.On("web").exit = {1, 0, false, ""};
  fixture_.AddTask("other");
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  ASSERT_TRUE(Health().has_value());
  EXPECT_FALSE(Health()->healthy);
  EXPECT_EQ(Told("web"), "Unhealthy because of failed task");
  EXPECT_EQ(Told("other"), "");
}

TEST_F(AllocHealthHookTest, AStopBeforeTheVerdictGivesNone) {
  fixture_.Start();
  fixture_.loop.Advance(5s);
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(Health(), std::nullopt);
  EXPECT_EQ(Told("web"), "");
}

TEST_F(AllocHealthHookTest, AnAgentThatEndsItsTasksGivesNone) {
  fixture_.Start();
  fixture_.loop.Advance(5s);
  fixture_.runner().Kill();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(Health(), std::nullopt);
  EXPECT_EQ(Told("web"), "");
}

TEST_F(AllocHealthHookTest, ChecksDecide) {
  checks_.Set("", false);
  fixture_.Start();
  const std::string id = fixture_.runner().id();
  fixture_.loop.Advance(60s);
  EXPECT_EQ(Health(), std::nullopt);
  checks_.Set(id, true);
  fixture_.loop.Advance(5s);
  checks_.Set(id, false);
  fixture_.loop.Advance(60s);
  EXPECT_EQ(Health(), std::nullopt);
  checks_.Set(id, true);
  fixture_.loop.Advance(10s);
  ASSERT_TRUE(Health().has_value());
  EXPECT_TRUE(Health()->healthy);
}

TEST_F(AllocHealthHookTest, AtTheDeadlineItIsUnhealthyAndRunsOn) {
  checks_.Set("", false);
  fixture_.Start();
  fixture_.loop.Advance(5min);
  ASSERT_TRUE(Health().has_value());
  EXPECT_FALSE(Health()->healthy);
  EXPECT_EQ(Told("web"), "Services not healthy by deadline");
  EXPECT_EQ(fixture_.Brief("web"), "running/0");
}

TEST_F(AllocHealthHookTest, AnUpdateBeginsAnewUnlessThereIsAVerdict) {
  checks_.Set("", false);
  fixture_.Start();
  fixture_.loop.Advance(4min);
  fixture_.Update(
      fixture_.NextVersion([](Job* job) { job->groups[0].update.healthy_deadline = 2min; }));
  fixture_.loop.Advance(2min - 1s);
  EXPECT_EQ(Health(), std::nullopt);
  fixture_.loop.Advance(1s);
  ASSERT_TRUE(Health().has_value());
  const std::string id = fixture_.runner().id();
  EXPECT_EQ(checks_.expected, (std::vector<std::string>{id, id})) << "the checks change, too";
  fixture_.Update(fixture_.NextVersion([](Job*) {}));
  checks_.Set(id, true);
  fixture_.loop.Advance(1h);
  EXPECT_FALSE(Health()->healthy);
  EXPECT_EQ(checks_.expected.size(), 2u);
}

TEST_F(AllocHealthHookTest, AnotherDeploymentDecidesAnew) {
  fixture_.Start();
  fixture_.loop.Advance(10s);
  ASSERT_TRUE(Health().has_value());
  EXPECT_TRUE(Health()->healthy);
  checks_.Set(fixture_.runner().id(), false);
  Allocation next = fixture_.NextVersion([](Job*) {});
  next.deployment_id = "d2";
  fixture_.Update(next);
  fixture_.loop.Advance(1s);
  EXPECT_EQ(Health(), std::nullopt) << "the verdict was for another deployment";
  checks_.Set(fixture_.runner().id(), true);
  fixture_.loop.Advance(10s);
  ASSERT_TRUE(Health().has_value());
  EXPECT_TRUE(Health()->healthy);
}

TEST_F(AllocHealthHookTest, AWatchThatIsUnderWayBeginsAnewForAnotherDeployment) {
  checks_.Set("", false);
  fixture_.Start();
  fixture_.loop.Advance(5min - 1s);
  Allocation next = fixture_.NextVersion([](Job*) {});
  next.deployment_id = "d2";
  fixture_.Update(next);
  fixture_.loop.Advance(5min - 1s);
  EXPECT_EQ(Health(), std::nullopt);
  fixture_.loop.Advance(1s);
  ASSERT_TRUE(Health().has_value());
  EXPECT_FALSE(Health()->healthy);
}

TEST_F(AllocHealthHookTest, OutsideOfADeploymentAReplacementHasTheRuleOfMigrations) {
  fixture_.deployment_id.clear();
  fixture_.previous = "the one before";
  fixture_.group().update.health_check = UpdatePolicy::HealthCheck::kManual;
  fixture_.group().migrate_health.min_healthy_time = 3s;
  fixture_.Start();
  fixture_.loop.Advance(3s - 1ns);
  EXPECT_EQ(Health(), std::nullopt);
  fixture_.loop.Advance(1ns);
  ASSERT_TRUE(Health().has_value());
  EXPECT_TRUE(Health()->healthy);
}

TEST_F(AllocHealthHookTest, OutsideOfADeploymentNoTaskHearsOfIt) {
  fixture_.deployment_id.clear();
  checks_.Set("", false);
  fixture_.Start();
  fixture_.loop.Advance(5min);
  ASSERT_TRUE(Health().has_value());
  EXPECT_FALSE(Health()->healthy);
  EXPECT_EQ(Told("web"), "");
}

TEST_F(AllocHealthHookTest, SystemJobsAreWatched) {
  fixture_.job().type = JobType::kSystem;
  fixture_.Start();
  fixture_.loop.Advance(10s);
  ASSERT_TRUE(Health().has_value());
  EXPECT_TRUE(Health()->healthy);
}

TEST_F(AllocHealthHookTest, TheVerdictOfAnEarlierAgentStays) {
  fixture_.keep_records = true;
  fixture_.Start();
  auto shut_down = [](LocalAllocRunner* runner) -> Co<Status> {
    co_await runner->Shutdown();
    co_return Status();
  };
  EXPECT_TRUE(fixture_.Wait(shut_down(&fixture_.runner())).ok());
  checks_.expected.clear();
  const AllocHealth before{false, 7};
  fixture_.Restore(before).Start();
  fixture_.loop.Advance(1h);
  EXPECT_EQ(Health(), before);
  EXPECT_TRUE(checks_.expected.empty()) << "nobody watches";
}

TEST_F(AllocHealthHookTest, BatchJobsAndManualOnesAreNotWatched) {
  fixture_.job().type = JobType::kBatch;
  fixture_.Start();
  fixture_.loop.Advance(1h);
  EXPECT_EQ(Health(), std::nullopt);
  fixture_.Update(fixture_.NextVersion([](Job* job) { job->type = JobType::kSysbatch; }));
  fixture_.loop.Advance(1h);
  EXPECT_EQ(Health(), std::nullopt);
  fixture_.Update(fixture_.NextVersion([](Job* job) {
    job->type = JobType::kService;
    job->groups[0].update.health_check = UpdatePolicy::HealthCheck::kManual;
  }));
  fixture_.loop.Advance(1h);
  EXPECT_EQ(Health(), std::nullopt);
}

TEST_F(AllocHealthHookTest, AShutdownEndsTheWatch) {
  fixture_.keep_records = true;
  fixture_.Start();
  fixture_.loop.Advance(5s);
  auto shut_down = [](LocalAllocRunner* runner) -> Co<Status> {
    co_await runner->Shutdown();
    co_return Status();
  };
  EXPECT_TRUE(fixture_.Wait(shut_down(&fixture_.runner())).ok());
  EXPECT_EQ(Health(), std::nullopt);
  fixture_.Restore().Start();
  fixture_.loop.Advance(10s);
  ASSERT_TRUE(Health().has_value());
  EXPECT_TRUE(Health()->healthy);
}

}  // namespace
}  // namespace drover
