// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/max_run_duration_hook.h"

#include <gtest/gtest.h>

#include "host/base/jumping_loop_for_test.h"

namespace drover {
namespace {

class NotingControl : public AllocControl {
 public:
  void RequestEnd(std::string description) override { ends.push_back(std::move(description)); }
  std::vector<std::string> ends;
};

class MaxRunDurationHookTest : public testing::Test {
 protected:
  MaxRunDurationHookTest() : hook_(AllocHookEnv{&loop_, nullptr, &control_, nullptr}) {}

  AllocHookRequest Request(std::optional<Duration> limit, Duration age = 0s) {
    auto job = std::make_shared<Job>();
    job->groups.resize(1);
    job->groups[0].name = "group";
    job->groups[0].max_run_duration = limit;
    auto alloc = std::make_shared<Allocation>();
    alloc->job = std::move(job);
    alloc->group_name = "group";
    alloc->create_time = loop_.Wall() - age.count();
    AllocHookRequest request;
    request.alloc = std::move(alloc);
    return request;
  }
  void Prerun(AllocHookRequest request) { Wait(hook_.Prerun(Context(&loop_), request)); }
  void Update(AllocHookRequest request) { Wait(hook_.Update(Context(&loop_), request)); }
  void Wait(Co<Status> call) {
    auto wait = [](Co<Status> inner) -> Co<void> { EXPECT_TRUE((co_await std::move(inner)).ok()); };
    loop_.Spawn(wait(std::move(call)));
    loop_.RunReady();
  }

  JumpingLoop loop_;
  NotingControl control_;
  MaxRunDurationHook hook_;
};

TEST_F(MaxRunDurationHookTest, CountsFromTheCreationOfTheAllocation) {
  Prerun(Request(10s, 4s));
  loop_.Advance(5s);
  EXPECT_TRUE(control_.ends.empty());
  loop_.Advance(1s);
  EXPECT_EQ(control_.ends, std::vector<std::string>{"allocation exceeded max_run_duration"});
}

TEST_F(MaxRunDurationHookTest, WhatIsTooOldAlreadyEndsAtOnce) {
  Prerun(Request(10s, 1h));
  loop_.Advance(0s);
  EXPECT_EQ(control_.ends.size(), 1u);
}

TEST_F(MaxRunDurationHookTest, TheLongestThereIsEndsNothing) {
  Prerun(Request(Duration::max()));
  loop_.Advance(std::chrono::hours(24 * 365));
  EXPECT_TRUE(control_.ends.empty());
  Update(Request(std::nullopt));
}

TEST_F(MaxRunDurationHookTest, AClockThatIsSetChangesNothing) {
  Prerun(Request(10s, 4s));
  loop_.Jump(std::chrono::hours(1));
  Update(Request(11s, 4s));
  loop_.Jump(std::chrono::hours(-48));
  loop_.Advance(7s - 1ns);
  EXPECT_TRUE(control_.ends.empty());
  loop_.Advance(1ns);
  EXPECT_EQ(control_.ends.size(), 1u);
}

TEST_F(MaxRunDurationHookTest, AnAllocationOfTheFutureIsNew) {
  Prerun(Request(10s, -std::chrono::hours(1)));
  loop_.Advance(10s);
  EXPECT_EQ(control_.ends.size(), 1u);
}

TEST_F(MaxRunDurationHookTest, WithoutALimitNoTimerIsSet) {
  Prerun(Request(std::nullopt));
  EXPECT_EQ(loop_.live_timers(), 0u);
}

TEST_F(MaxRunDurationHookTest, AnUpdateWithTheSameLimitDoesNotStartAnew) {
  const AllocHookRequest request = Request(10s);
  Prerun(request);
  loop_.Advance(6s);
  Update(Request(10s));  // even with another creation time
  loop_.Advance(4s);
  EXPECT_EQ(control_.ends.size(), 1u);
}

TEST_F(MaxRunDurationHookTest, AnUpdateWithAnotherLimitDoes) {
  const AllocHookRequest request = Request(10s);
  Prerun(request);
  loop_.Advance(6s);
  Update(Request(20s, 6s));
  loop_.Advance(13s);
  EXPECT_TRUE(control_.ends.empty());
  loop_.Advance(1s);
  EXPECT_EQ(control_.ends.size(), 1u);
  Update(Request(std::nullopt));
  EXPECT_EQ(loop_.live_timers(), 0u);
}

TEST_F(MaxRunDurationHookTest, PostrunAndShutdownTakeTheTimerBack) {
  Prerun(Request(10s));
  Wait(hook_.Postrun(Context(&loop_), AllocHookRequest()));
  EXPECT_EQ(loop_.live_timers(), 0u);
  Prerun(Request(10s));
  Wait(hook_.Shutdown(Context(&loop_), AllocHookRequest()));
  EXPECT_EQ(loop_.live_timers(), 0u);
}

TEST_F(MaxRunDurationHookTest, GoingAwayTakesTheTimerBack) {
  {
    MaxRunDurationHook hook(AllocHookEnv{&loop_, nullptr, &control_, nullptr});
    Wait(hook.Prerun(Context(&loop_), Request(10s)));
    EXPECT_EQ(loop_.live_timers(), 1u);
  }
  EXPECT_EQ(loop_.live_timers(), 0u);
}

}  // namespace
}  // namespace drover
