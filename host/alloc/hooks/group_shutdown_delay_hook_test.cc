// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/group_shutdown_delay_hook.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

class GroupShutdownDelayHookTest : public testing::Test {
 protected:
  GroupShutdownDelayHookTest()
      : context_(&loop_),
        skip_(std::make_shared<Context>(&loop_)),
        hook_(AllocHookEnv{&loop_, nullptr, nullptr, skip_}) {}

  // Starts prekill; true when it returned at once. SINCE: the stop was requested this long ago.
  bool Prekill(Duration delay, bool any_task_live = true,
               std::optional<Duration> since = std::nullopt) {
    auto job = std::make_shared<Job>();
    job->groups.resize(1);
    job->groups[0].name = "group";
    job->groups[0].shutdown_delay = delay;
    auto alloc = std::make_shared<Allocation>();
    alloc->job = std::move(job);
    alloc->group_name = "group";
    if (since) alloc->desired_status = DesiredStatus::kStop;
    alloc->modify_time = loop_.Wall() - since.value_or(2s).count();
    AllocHookRequest request;
    request.alloc = std::move(alloc);
    request.any_task_live = any_task_live;
    done_ = false;
    auto run = [](Co<Status> call, bool* out) -> Co<void> {
      *out = (co_await std::move(call)).ok();
    };
    loop_.Spawn(run(hook_.Prekill(context_, request), &done_));
    loop_.RunReady();
    return done_;
  }

  SimLoop loop_;
  Context context_;
  std::shared_ptr<Context> skip_;
  GroupShutdownDelayHook hook_;
  bool done_ = false;
};

TEST_F(GroupShutdownDelayHookTest, WaitsForTheDelay) {
  EXPECT_FALSE(Prekill(3s));
  loop_.Advance(2999ms);
  EXPECT_FALSE(done_);
  loop_.Advance(1ms);
  EXPECT_TRUE(done_);
}

TEST_F(GroupShutdownDelayHookTest, WaitsForTheLongestThereIs) {
  EXPECT_FALSE(Prekill(Duration::max()));
  loop_.Advance(std::chrono::hours(24 * 365));
  EXPECT_FALSE(done_);
  auto job = std::make_shared<Job>();
  job->groups.resize(1);
  job->groups[0].shutdown_delay = Duration::max();
  auto alloc = std::make_shared<Allocation>();
  alloc->job = std::move(job);
  AllocHookRequest request;
  request.alloc = std::move(alloc);
  EXPECT_GT(hook_.deadline(AllocHookStage::kPrekill, request), std::chrono::hours(24 * 365));
  skip_->Cancel();
  loop_.RunReady();
  EXPECT_TRUE(done_);
}

TEST_F(GroupShutdownDelayHookTest, WaitsForTheRestOfADelayThatBeganBefore) {
  for (const auto& [since, left] : {std::pair<Duration, Duration>(1s, 2s), {-1h, 3s}}) {
    EXPECT_FALSE(Prekill(3s, true, since));
    loop_.Advance(left - 1ms);
    EXPECT_FALSE(done_);
    loop_.Advance(1ms);
    EXPECT_TRUE(done_);
  }
  EXPECT_TRUE(Prekill(3s, true, 3s));
}

TEST_F(GroupShutdownDelayHookTest, IsNotInterruptedInItsDelay) {
  auto job = std::make_shared<Job>();
  job->groups.resize(1);
  job->groups[0].name = "group";
  job->groups[0].shutdown_delay = 2h;
  auto alloc = std::make_shared<Allocation>();
  alloc->job = std::move(job);
  alloc->group_name = "group";
  AllocHookRequest request;
  request.alloc = std::move(alloc);
  EXPECT_GT(hook_.deadline(AllocHookStage::kPrekill, request), 2h);
}

TEST_F(GroupShutdownDelayHookTest, DoesNotWaitWithoutDelayOrTasks) {
  EXPECT_TRUE(Prekill(0s));
  EXPECT_TRUE(Prekill(3s, false));
}

TEST_F(GroupShutdownDelayHookTest, IsCutShortWhenTheDelayIsNotWanted) {
  EXPECT_FALSE(Prekill(3s));
  skip_->Cancel();
  loop_.RunReady();
  EXPECT_TRUE(done_);
  EXPECT_TRUE(Prekill(3s)) << "a skipped delay does not begin either";
  EXPECT_EQ(loop_.live_timers(), 0u);
}

TEST_F(GroupShutdownDelayHookTest, IsCutShortByTheShutdownOfTheAgent) {
  EXPECT_FALSE(Prekill(3s));
  context_.Cancel();
  loop_.RunReady();
  EXPECT_TRUE(done_);
}

}  // namespace
}  // namespace drover
