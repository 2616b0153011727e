// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/restore_barrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/base/gate.h"
#include "host/base/stoppable_loop.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr Duration kLimit = 40s;

class RestoreBarrierTest : public ::testing::Test {
 protected:
  // Whether the wait has ended.
  bool Done(Co<Status> wait) {
    const auto done = std::make_shared<bool>(false);  // shared: the wait may outlive this function
    const auto note = [](Co<Status> of, std::shared_ptr<bool> out) -> Co<void> {
      const Status status = co_await std::move(of);
      *out = status.ok();
    };
    gate_.Spawn(note(std::move(wait), done));
    loop_.RunReady();
    return *done;
  }
  void TearDown() override {
    context_.Cancel();
    loop_.RunToEnd(gate_.Close());
  }

  StoppableLoop loop_;
  Context context_{&loop_};
  Gate gate_{&loop_};
  RestoreBarrier barrier_{&loop_};
  const RunId first_ = RunId::Random();
  const RunId second_ = RunId::Random();
};

TEST_F(RestoreBarrierTest, WaitsForAllTasksOfTheDriverAndNoOther) {
  barrier_.Expect("slow", "a/t", first_);
  barrier_.Expect("slow", "b/t", second_);
  EXPECT_TRUE(Done(barrier_.WaitFound(context_, "quick", kLimit)));
  EXPECT_FALSE(Done(barrier_.WaitFound(context_, "slow", kLimit)));
  barrier_.Found("slow", "a/t", first_);
  barrier_.Found("slow", "a/t", first_);
  barrier_.Found("slow", "stranger/t", std::nullopt);
  EXPECT_FALSE(Done(barrier_.WaitFound(context_, "slow", kLimit)));
  EXPECT_THAT(barrier_.RunsOf("slow"), UnorderedElementsAre(first_, second_))
      << "it may still come";
  barrier_.Found("slow", "b/t", std::nullopt);
  EXPECT_TRUE(Done(barrier_.WaitFound(context_, "slow", kLimit)));
  EXPECT_THAT(barrier_.RunsOf("slow"), ElementsAre(first_));
  EXPECT_THAT(barrier_.RunsOf("quick"), IsEmpty());
}

TEST_F(RestoreBarrierTest, AStandstillOfThisProcessIsNobodysDelay) {
  barrier_.Expect("slow", "a/t", first_);
  std::optional<Status> found;
  const auto wait = [](Co<Status> of, std::optional<Status>* out) -> Co<void> {
    const Status status = co_await std::move(of);
    out->emplace(status);
  };
  gate_.Spawn(wait(barrier_.WaitFound(context_, "slow", kLimit), &found));
  loop_.RunReady();
  loop_.StandStill(1h);
  EXPECT_FALSE(found.has_value());
  loop_.Advance(kLimit);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->code(), Code::kTimeout);
}

TEST_F(RestoreBarrierTest, ADriverThatIsBeingLoadedIsWaitedFor) {
  barrier_.Loading("slow");
  EXPECT_FALSE(Done(barrier_.WaitLoaded(context_, "slow")));
  EXPECT_TRUE(Done(barrier_.WaitLoaded(context_, "quick")));
  barrier_.Loaded("slow");
  EXPECT_TRUE(Done(barrier_.WaitLoaded(context_, "slow")));
}

TEST_F(RestoreBarrierTest, NothingStartsBeforeItIsOpen) {
  EXPECT_FALSE(Done(barrier_.WaitOpen(context_, "exec")));
  barrier_.Open("exec");
  EXPECT_TRUE(Done(barrier_.WaitOpen(context_, "exec")));
  EXPECT_FALSE(Done(barrier_.WaitOpen(context_, "raw_exec")));
}

}  // namespace
}  // namespace drover
