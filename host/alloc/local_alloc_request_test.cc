// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Restarts that hooks request.
#include <gtest/gtest.h>

#include "host/alloc/alloc_fixture.h"

namespace drover {
namespace {

// Gives the test the control of its allocation, and counts the restarts.
class RequestHook : public AllocHook {
 public:
  RequestHook(const AllocHookEnv& env, AllocControl** control, int* restarts)
      : restarts_(restarts) {
    *control = env.control;
  }
  std::string_view name() const override { return "control"; }
  Co<Status> PreTaskRestart(Context, AllocHookRequest) override {
    ++*restarts_;
    co_return Status();
  }

 private:
  int* const restarts_;
};

class AllocRequestTest : public testing::Test {
 protected:
  AllocRequestTest() {
    fixture_.env.extra_hooks.push_back([this](const AllocHookEnv& env) {
      return std::make_unique<RequestHook>(env, &control_, &restarts_);
    });
    fixture_.group().restart_policy = {2, 30min, 15s, RestartPolicy::Mode::kFail};
    fixture_.AddTask("web");
    fixture_.AddTask("side", "side");
    fixture_.AddTask("init", "init");
    fixture_.driver.On("init").run_for = 1s;
    fixture_.Start();
    fixture_.loop.Advance(5s);
  }

  std::string LastReason(const std::string& task) {
    std::string reason;
    for (const TaskEvent& event : fixture_.state(task).events) {
      if (event.type == event_type::kRestartSignaled) {
        reason = event.Detail(event_key::kRestartReason);
      }
    }
    return reason;
  }

  AllocControl* control_ = nullptr;
  int restarts_ = 0;
  AllocFixture fixture_;
};

TEST_F(AllocRequestTest, AllRunningTasksRestartAndThePolicyCountsIt) {
  control_->RequestRestart("", "healthcheck: check \"a\" unhealthy");
  fixture_.loop.Advance(14s);
  EXPECT_EQ(fixture_.Brief("web"), "pending/1") << "the delay of the policy";
  fixture_.loop.Advance(6s);
  EXPECT_EQ(fixture_.Brief("web"), "running/1");
  EXPECT_EQ(fixture_.Brief("side"), "running/1");
  EXPECT_EQ(fixture_.Brief("init"), "dead/0");
  EXPECT_EQ(LastReason("web"), "healthcheck: check \"a\" unhealthy");
  EXPECT_EQ(restarts_, 1);
  for (int i = 0; i < 2; ++i) {
    control_->RequestRestart("", "again");
    fixture_.loop.Advance(30s);
  }
  EXPECT_EQ(fixture_.status().status, ClientStatus::kFailed) << "the attempts are used up";
  EXPECT_TRUE(fixture_.RunToEnd());
}

TEST_F(AllocRequestTest, OneTaskRestartsAlone) {
  control_->RequestRestart("web", "because");
  fixture_.loop.Advance(20s);
  EXPECT_EQ(fixture_.Brief("web"), "running/1");
  EXPECT_EQ(fixture_.Brief("side"), "running/0");
  EXPECT_EQ(LastReason("web"), "because");
  EXPECT_EQ(restarts_, 0);
}

TEST_F(AllocRequestTest, ManyRequestsAtOnceAreOneRestart) {
  for (int i = 0; i < 500; ++i) control_->RequestRestart("", "because");
  fixture_.loop.Advance(30s);
  EXPECT_EQ(fixture_.Brief("web"), "running/1");
  EXPECT_EQ(restarts_, 1);
}

TEST_F(AllocRequestTest, AKillDoesNotWaitForRestarts) {
  fixture_.driver.On("web").stop_delay = 2s;
  for (int i = 0; i < 500; ++i) control_->RequestRestart("", "because");
  fixture_.loop.Advance(1s);
  fixture_.UpdateToStop();
  fixture_.loop.Advance(10s);
  EXPECT_TRUE(fixture_.runner().ended());
  control_->RequestRestart("", "because");
  control_->RequestRestart("web", "because");
  fixture_.loop.Advance(1min);
  EXPECT_EQ(fixture_.Brief("web").substr(0, 4), "dead");
}

TEST_F(AllocRequestTest, AnUnknownTaskChangesNothing) {
  control_->RequestRestart("nobody", "because");
  fixture_.loop.Advance(1min);
  EXPECT_EQ(fixture_.Brief("web"), "running/0");
}

}  // namespace
}  // namespace drover
