// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The services, the checks and the health of one allocation together, in a real runner. The test
// answers the checks itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/alloc/alloc_fixture.h"
#include "host/alloc/health/alloc_health_hook.h"
#include "host/checks/check_results.h"
#include "host/checks/checks_hook.h"
#include "host/services/group_services_hook.h"
#include "host/services/noting_registrar_for_test.h"
#include "host/services/task_services_hook.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A hook that takes its time before the tasks start.
class SlowHook : public AllocHook {
 public:
  std::string_view name() const override { return "slow"; }
  Co<Status> Prerun(Context context, AllocHookRequest) override {
    co_return co_await Sleep(context, 1s);
  }
};

class CheckLifeTest : public testing::Test {
 protected:
  CheckLifeTest() {
    info_.id = "node";
    services_.registrar = &registrar_;
    services_.node.info = &info_;
    services_.node.ip = "10.0.0.9";
    const auto checks = std::make_shared<ChecksEnv>();
    checks->results = &results_;
    checks->scripts = &scripts_;
    checks->plans = [](const Allocation& alloc) {
      return MakeCheckPlans(
          alloc, [](const Service&) { return true; },
          [](const Task*, const std::string& text) { return text; });
    };
    checks->ask = [this](const std::shared_ptr<CheckSlot>& slot) {
      asked_[slot->plan->check.name] = slot;
    };
    checks->forget = [this](const std::shared_ptr<CheckSlot>& slot) {
      std::erase_if(asked_, [&slot](const auto& asked) { return asked.second == slot; });
    };
    // The hooks are in the order of the agent.
    fixture_.env.extra_hooks.push_back([this](const AllocHookEnv& env) {
      return std::make_unique<AllocHealthHook>(env, &results_);
    });
    fixture_.env.extra_hooks.push_back([this](const AllocHookEnv&) -> std::unique_ptr<AllocHook> {
      return is_slow_ ? std::make_unique<SlowHook>() : nullptr;
    });
    fixture_.env.waits_shutdown_delay = false;
    fixture_.env.extra_hooks.push_back([this](const AllocHookEnv& env) {
      return std::make_unique<GroupServicesHook>(env, &services_);
    });
    fixture_.env.extra_hooks.push_back(
        [checks](const AllocHookEnv& env) { return std::make_unique<ChecksHook>(env, checks); });
    fixture_.env.make_task_hooks = [this](const Allocation&, const Task& task) {
      TaskHooks hooks;
      hooks.after_stats.push_back(std::make_shared<TaskServicesHook>(&services_, task));
      return hooks;
    };
    fixture_.group().restart_policy = {100, 1h, 1s, RestartPolicy::Mode::kFail};
    fixture_.AddTask("web");
    fixture_.AddTask("side");
  }
  ~CheckLifeTest() override { fixture_.Destroy(); }  // while what its hooks use is there

  // Returns a service with a check "up" that restarts after its first failure.
  static Service Checked(const std::string& name) {
    Service service;
    service.name = name;
    service.provider = ServiceProvider::kBuiltin;
    ServiceCheck& check = service.checks.emplace_back();
    check.name = "up";
    check.interval = 10s;
    check.timeout = 1s;
    check.check_restart = CheckRestart{1, 1s, false};
    return service;
  }
  void Put(const std::string& check, CheckStatus status) {
    CheckResult result;
    result.status = status;
    result.has_run = true;
    result.ran = fixture_.loop.Now();
    results_.Put(asked_.at(check), std::move(result));
    fixture_.loop.Advance(0s);
  }
  // Lets the check fail after a while, and waits until its tasks run again.
  void FailOnce() {
    fixture_.loop.Advance(4s);
    Put("up", CheckStatus::kFailure);
    fixture_.loop.Advance(4s);
  }
  std::optional<AllocHealth> Health() { return fixture_.runner().snapshot()->health; }

  NodeInfo info_;
  ServiceHookOptions services_;
  bool is_slow_ = false;
  std::map<std::string, std::shared_ptr<CheckSlot>> asked_;  // by the name of the check
  AllocFixture fixture_;
  NotingRegistrar registrar_{&fixture_.loop};
  CheckResults results_{&fixture_.loop};
  ScriptChecks scripts_{&fixture_.loop};
};

TEST_F(CheckLifeTest, ACheckRestartsAgainAndAgainAndTheServiceIsThereAfterEach) {
  fixture_.group().services = {Checked("api")};
  fixture_.Start();
  for (int i = 1; i <= 10; ++i) {
    registrar_.calls.clear();
    FailOnce();
    EXPECT_EQ(fixture_.Brief("web"), "running/" + std::to_string(i));
    EXPECT_EQ(fixture_.Brief("side"), "running/" + std::to_string(i));
    EXPECT_THAT(registrar_.calls, ElementsAre("remove group", "add group api"));
    EXPECT_THAT(registrar_.now[""], SizeIs(1)) << i;
    EXPECT_THAT(asked_, SizeIs(1)) << "the check goes on";
  }
}

TEST_F(CheckLifeTest, ACheckOfATaskRestartsThisTaskWithItsServices) {
  Service of_group = Checked("api");
  of_group.checks.clear();
  fixture_.group().services = {of_group};
  fixture_.group().tasks[0].services = {Checked("own")};
  fixture_.Start();
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "add web own"));
  for (int i = 1; i <= 3; ++i) {
    registrar_.calls.clear();
    FailOnce();
    EXPECT_EQ(fixture_.Brief("web"), "running/" + std::to_string(i));
    EXPECT_EQ(fixture_.Brief("side"), "running/0");
    EXPECT_THAT(registrar_.calls, ElementsAre("remove web", "add web own"));
  }
}

TEST_F(CheckLifeTest, WhenThePolicyIsUsedUpTheAllocationFailsAndIsUnhealthy) {
  fixture_.group().services = {Checked("api")};
  fixture_.group().restart_policy.attempts = 1;
  fixture_.Start();
  FailOnce();
  EXPECT_EQ(fixture_.status().status, ClientStatus::kRunning);
  EXPECT_EQ(Health(), std::nullopt);
  fixture_.loop.Advance(4s);
  Put("up", CheckStatus::kFailure);
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.status().status, ClientStatus::kFailed);
  ASSERT_TRUE(Health().has_value());
  EXPECT_FALSE(Health()->healthy);
  EXPECT_THAT(registrar_.now[""], IsEmpty());
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(CheckLifeTest, AnAllocationOfAnEarlierAgentIsHealthyOnlyWhenItsChecksHaveRun) {
  fixture_.keep_records = true;
  is_slow_ = true;
  fixture_.group().services = {Checked("api")};
  fixture_.group().update.min_healthy_time = 0s;
  fixture_.Start();
  fixture_.loop.Advance(2s);
  EXPECT_EQ(fixture_.Brief("web"), "running/0");
  EXPECT_EQ(Health(), std::nullopt);
  auto shut_down = [](LocalAllocRunner* runner) -> Co<void> { co_await runner->Shutdown(); };
  EXPECT_TRUE(fixture_.loop.RunToEnd(shut_down(&fixture_.runner())));
  EXPECT_THAT(asked_, IsEmpty());
  fixture_.Restore().Start();
  fixture_.loop.Advance(500ms);
  EXPECT_THAT(asked_, IsEmpty()) << "the hook of the checks has not had its turn";
  EXPECT_EQ(Health(), std::nullopt);
  fixture_.loop.Advance(1s);
  EXPECT_THAT(asked_, SizeIs(1));
  EXPECT_EQ(Health(), std::nullopt);
  Put("up", CheckStatus::kSuccess);
  ASSERT_TRUE(Health().has_value());
  EXPECT_TRUE(Health()->healthy);
}

TEST_F(CheckLifeTest, ChecksGoOnDuringTheShutdownDelayAndRestartNothing) {
  fixture_.group().shutdown_delay = 10s;
  fixture_.group().services = {Checked("api")};
  fixture_.Start();
  fixture_.loop.Advance(2s);
  fixture_.UpdateToStop();
  fixture_.loop.Advance(5s);
  EXPECT_THAT(registrar_.now[""], IsEmpty());
  ASSERT_THAT(asked_, SizeIs(1));
  Put("up", CheckStatus::kFailure);
  fixture_.loop.Advance(5s - 1ns);
  EXPECT_EQ(fixture_.Brief("web"), "running/0");
  fixture_.loop.Advance(1ns);
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(Health(), std::nullopt);
}

TEST_F(CheckLifeTest, FiveHundredFailuresAtOnceDelayNoKill) {
  fixture_.group().services = {Checked("api")};
  for (int i = 1; i < 500; ++i) {
    ServiceCheck check = fixture_.group().services[0].checks[0];
    check.name = "up" + std::to_string(i);
    fixture_.group().services[0].checks.push_back(check);
  }
  fixture_.Start();
  fixture_.loop.Advance(2s);
  ASSERT_THAT(asked_, SizeIs(500));
  const auto asked = asked_;
  for (const auto& [name, slot] : asked) {
    CheckResult result;
    result.status = CheckStatus::kFailure;
    result.has_run = true;
    result.ran = fixture_.loop.Now();
    results_.Put(slot, std::move(result));
  }
  fixture_.runner().Kill();
  fixture_.loop.Advance(0s);
  EXPECT_TRUE(fixture_.runner().ended());
  EXPECT_EQ(fixture_.Brief("web"), "dead/0");
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group"));
}

}  // namespace
}  // namespace drover
