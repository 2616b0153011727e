// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/group_services_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "host/alloc/alloc_fixture.h"
#include "host/services/noting_registrar_for_test.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A hook that takes its time before that of the services has its turn.
class HookBeforeServices : public AllocHook {
 public:
  std::string_view name() const override { return "before"; }
  Co<Status> Prerun(Context context, AllocHookRequest) override {
    co_return co_await Sleep(context, 1s);
  }
};

// An allocation with the services hook, in a real runner.
class GroupServicesHookTest : public testing::Test {
 protected:
  GroupServicesHookTest() {
    info_.id = "node";
    options_.registrar = &registrar_;
    options_.node.info = &info_;
    options_.node.ip = "10.0.0.9";
    options_.report = [this](const std::string&, const Error& error) {
      reports_.push_back(error.message());
    };
    fixture_.env.waits_shutdown_delay = false;
    fixture_.env.extra_hooks.push_back([this](const AllocHookEnv& env) {
      return std::make_unique<GroupServicesHook>(env, &options_);
    });
    fixture_.env.report = [this](const std::string&, const Error& error) {
      reports_.push_back(error.message());
    };
    fixture_.AddTask("web");
    Add("api");
  }
  ~GroupServicesHookTest() override {
    registrar_.release.Set();
    fixture_.Destroy();  // while the registrar is there
  }

  static Service Named(const std::string& name) {
    Service service;
    service.name = name;
    service.provider = ServiceProvider::kBuiltin;
    return service;
  }
  Service& Add(const std::string& name) {
    fixture_.group().services.push_back(Named(name));
    return fixture_.group().services.back();
  }
  void Update(const std::function<void(TaskGroup*)>& change) {
    fixture_.Update(fixture_.NextVersion([&](Job* job) { change(&job->groups[0]); }));
    fixture_.loop.RunReady();
  }
  // Begins a restart of the running tasks, and counts it when it has returned.
  void Restart() {
    auto restart = [](LocalAllocRunner* runner, int* done) -> Co<void> {
      (void)co_await runner->RestartRunning();
      ++*done;
    };
    fixture_.loop.Spawn(restart(&fixture_.runner(), &restarts_));
    fixture_.loop.RunReady();
  }
  bool Stopped() { return fixture_.driver.Count("stop web") > 0; }

  NodeInfo info_;
  ServiceHookOptions options_;
  std::vector<std::string> reports_;
  int restarts_ = 0;
  AllocFixture fixture_;
  NotingRegistrar registrar_{&fixture_.loop};
};

TEST_F(GroupServicesHookTest, APromotedCanaryGetsTheTagsOfAllOthers) {
  fixture_.group().services[0].tags = {"live"};
  fixture_.group().services[0].canary_tags = {"canary"};
  fixture_.canary = true;
  fixture_.Start();
  EXPECT_THAT(registrar_.now[""].at(0).tags, ElementsAre("canary"));
  Allocation promoted = fixture_.NextAlloc();
  promoted.canary = false;
  fixture_.Update(promoted);
  fixture_.loop.RunReady();
  EXPECT_THAT(registrar_.now[""].at(0).tags, ElementsAre("live"));
}

TEST_F(GroupServicesHookTest, RegistersBeforeTheTasksStart) {
  fixture_.Start();
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api"));
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group"));
  EXPECT_EQ(registrar_.clears, 1) << "postrun has nothing left to do";
}

TEST_F(GroupServicesHookTest, AStopFirstRemovesThemAndThenWaits) {
  fixture_.group().shutdown_delay = 10s;
  fixture_.Start();
  registrar_.release.Reset();
  fixture_.UpdateToStop();
  fixture_.loop.Advance(2s);
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group"));
  registrar_.release.Set();
  fixture_.loop.Advance(9s);
  EXPECT_FALSE(Stopped()) << "the delay counts from the removal, not from the request";
  fixture_.loop.Advance(1s);
  EXPECT_TRUE(Stopped());
  EXPECT_TRUE(fixture_.RunToEnd());
}

TEST_F(GroupServicesHookTest, TheDelayIsSkippedOnRequest) {
  fixture_.group().shutdown_delay = 1h;
  fixture_.Start();
  fixture_.UpdateToStop();
  fixture_.loop.Advance(1s);
  EXPECT_FALSE(Stopped());
  Allocation alloc = fixture_.NextAlloc();
  alloc.desired_status = DesiredStatus::kStop;
  alloc.no_shutdown_delay = true;
  fixture_.Update(alloc);
  fixture_.loop.RunReady();
  EXPECT_TRUE(Stopped());
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group"));
  EXPECT_TRUE(fixture_.RunToEnd());
}

TEST_F(GroupServicesHookTest, TheDelayOfARestartIsSkippedOnRequest) {
  fixture_.group().shutdown_delay = 1h;
  fixture_.Start();
  Restart();
  fixture_.loop.Advance(1s);
  EXPECT_EQ(restarts_, 0);
  Allocation alloc = fixture_.NextAlloc();
  alloc.no_shutdown_delay = true;
  fixture_.Update(alloc);
  fixture_.loop.Advance(1s);
  EXPECT_EQ(restarts_, 1);
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group", "add group api"));
}

TEST_F(GroupServicesHookTest, ATaskThatEndsTakesThemAlongWithoutADelay) {
  fixture_.group().shutdown_delay = 1h;
  fixture_.job().type = JobType::kBatch;
  fixture_.driver.On("web").run_for = 1s;
  fixture_.Start();
  fixture_.loop.Advance(1s);
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group"));
  EXPECT_TRUE(fixture_.runner().ended());
}

TEST_F(GroupServicesHookTest, ARestartRemovesThemWaitsAndRegistersThemAgain) {
  fixture_.group().shutdown_delay = 10s;
  fixture_.Start();
  for (int i = 1; i <= 3; ++i) {
    registrar_.calls.clear();
    Restart();
    fixture_.loop.Advance(9s);
    EXPECT_THAT(registrar_.calls, ElementsAre("remove group"));
    EXPECT_EQ(fixture_.Brief("web"), "running/" + std::to_string(i - 1));
    fixture_.loop.Advance(2s);
    EXPECT_THAT(registrar_.calls, ElementsAre("remove group", "add group api"));
    EXPECT_EQ(fixture_.Brief("web"), "running/" + std::to_string(i));
    EXPECT_EQ(restarts_, i);
  }
}

TEST_F(GroupServicesHookTest, ARestartOfOneTaskLeavesThem) {
  fixture_.Start();
  EXPECT_TRUE(fixture_.Wait(fixture_.runner().RestartTask("web")).ok());
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api"));
}

TEST_F(GroupServicesHookTest, AStopInARestartWaitsForTheRestOfTheDelay) {
  fixture_.group().shutdown_delay = 10s;
  fixture_.Start();
  Restart();
  fixture_.loop.Advance(7s);
  fixture_.runner().Kill();
  fixture_.loop.Advance(2s);
  EXPECT_FALSE(Stopped());
  fixture_.loop.Advance(1s);
  EXPECT_TRUE(Stopped());
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group"));
  EXPECT_EQ(registrar_.clears, 1);
  EXPECT_TRUE(fixture_.RunToEnd());
}

TEST_F(GroupServicesHookTest, AnUpdateReplacesThemAndTheDelay) {
  fixture_.Start();
  Update([](TaskGroup* group) {
    group->services.push_back(Named("admin"));
    group->shutdown_delay = 10s;
  });
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "add group api admin"));
  fixture_.UpdateToStop();
  fixture_.loop.Advance(9s);
  EXPECT_FALSE(Stopped()) << "the new delay holds";
  EXPECT_TRUE(fixture_.RunToEnd());
}

TEST_F(GroupServicesHookTest, AnUpdateBeforeTheStartIsRegisteredAtTheStart) {
  fixture_.env.extra_hooks.insert(fixture_.env.extra_hooks.begin(), [](const AllocHookEnv&) {
    return std::make_unique<HookBeforeServices>();
  });
  fixture_.Start();
  Update([](TaskGroup* group) { group->services[0].name = "admin"; });
  EXPECT_THAT(registrar_.calls, IsEmpty());
  fixture_.loop.Advance(2s);
  EXPECT_THAT(registrar_.calls, ElementsAre("add group admin"));
  EXPECT_EQ(fixture_.Brief("web"), "running/0");
}

TEST_F(GroupServicesHookTest, AnUpdateInARestartIsRegisteredAfterIt) {
  fixture_.group().shutdown_delay = 10s;
  fixture_.Start();
  Restart();
  Update([](TaskGroup* group) { group->services[0].name = "admin"; });
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group"));
  fixture_.loop.Advance(11s);
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group", "add group admin"));
}

TEST_F(GroupServicesHookTest, AServerThatDoesNotAnswerHoldsAStopUpForFiveSeconds) {
  fixture_.Start();
  registrar_.release.Reset();
  fixture_.UpdateToStop();
  fixture_.loop.Advance(4s);
  EXPECT_FALSE(Stopped());
  fixture_.loop.Advance(1s);
  EXPECT_TRUE(Stopped());
  registrar_.release.Set();
  EXPECT_TRUE(fixture_.RunToEnd());
  ASSERT_FALSE(reports_.empty());
  EXPECT_THAT(reports_[0], HasSubstr("pre-kill hook \"group_services\" failed: the registrations"));
  EXPECT_EQ(registrar_.clears, 2) << "postrun does what has failed before";
}

TEST_F(GroupServicesHookTest, AServerThatDoesNotAnswerDoesNotShortenTheDelay) {
  fixture_.group().shutdown_delay = 10s;
  fixture_.Start();
  registrar_.release.Reset();
  fixture_.UpdateToStop();
  fixture_.loop.Advance(5s + 9s);
  EXPECT_FALSE(Stopped());
  fixture_.loop.Advance(1s);
  EXPECT_TRUE(Stopped());
  registrar_.release.Set();
  EXPECT_TRUE(fixture_.RunToEnd());
}

TEST_F(GroupServicesHookTest, AGroupWithoutServicesOnlyWaits) {
  fixture_.group().services.clear();
  fixture_.group().shutdown_delay = 10s;
  fixture_.Start();
  Restart();
  fixture_.loop.Advance(9s);
  EXPECT_EQ(restarts_, 0);
  fixture_.loop.Advance(1s);
  EXPECT_EQ(restarts_, 1);
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_THAT(registrar_.calls, IsEmpty());
  EXPECT_EQ(registrar_.clears, 0);
}

TEST_F(GroupServicesHookTest, AnUpdateMayBringTheFirstOneAndTakeTheLast) {
  fixture_.group().services.clear();
  fixture_.Start();
  Update([](TaskGroup* group) { group->services.push_back(Named("api")); });
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api"));
  Update([](TaskGroup* group) { group->services.clear(); });
  EXPECT_THAT(registrar_.now[""], IsEmpty());
}

TEST_F(GroupServicesHookTest, OneWithoutAnAddressFailsTheAllocation) {
  Add("bad").address_mode = AddressMode::kAlloc;
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.status().status, ClientStatus::kFailed);
  EXPECT_EQ(fixture_.driver.Count("start"), 0);
  std::string reason;
  for (const TaskEvent& event : fixture_.state("web").events) {
    if (event.type == event_type::kSetupFailure) reason = event.display_message;
  }
  EXPECT_EQ(reason,
            "failed to setup alloc: pre-run hook \"group_services\" failed: service \"bad\": "
            "cannot use address_mode=\"alloc\": no allocation network status reported");
  EXPECT_THAT(registrar_.now[""], IsEmpty());
}

TEST_F(GroupServicesHookTest, OneWithAnUnknownVariableIsReported) {
  Add("bad").tags = {"${meta.nope}"};
  fixture_.Start();
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api"));
  EXPECT_EQ(fixture_.Brief("web"), "running/0");
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_THAT(reports_[0], HasSubstr("the service is not registered: service \"bad\": its tag"));
}

TEST_F(GroupServicesHookTest, TheNextAgentRegistersThemAgain) {
  fixture_.keep_records = true;
  fixture_.Start();
  auto shut_down = [](LocalAllocRunner* runner) -> Co<void> { co_await runner->Shutdown(); };
  EXPECT_TRUE(fixture_.loop.RunToEnd(shut_down(&fixture_.runner())));
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api")) << "the tasks run on";
  registrar_.now.clear();
  fixture_.Restore().Start();
  fixture_.loop.RunReady();
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "add group api"));
}

TEST_F(GroupServicesHookTest, TheNextAgentRemovesThoseOfAnAllocationThatMustStop) {
  fixture_.keep_records = true;
  fixture_.Start();
  auto shut_down = [](LocalAllocRunner* runner) -> Co<void> { co_await runner->Shutdown(); };
  EXPECT_TRUE(fixture_.loop.RunToEnd(shut_down(&fixture_.runner())));
  fixture_.UpdateToStop();
  fixture_.Restore().Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_THAT(registrar_.calls, ElementsAre("add group api", "remove group"));
}

}  // namespace
}  // namespace drover
