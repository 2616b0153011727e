// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node_link/paced_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "host/base/gate.h"

namespace drover {
namespace {

using ::testing::ElementsAre;

class PacedQueueTest : public ::testing::Test {
 protected:
  PacedQueueTest() { EXPECT_TRUE(gate_.Spawn(queue_.Run(running_))); }
  ~PacedQueueTest() override {
    running_.Cancel();
    EXPECT_TRUE(loop_.RunToEnd(gate_.Close()));
  }

  void PutMany(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) queue_.Put(std::to_string(i));
    loop_.RunReady();
  }

  SimLoop loop_;
  Context running_{&loop_};
  Gate gate_{&loop_};
  std::vector<std::string> begun_;
  bool done_at_once_ = false;
  bool nothing_to_do_ = false;
  PacedQueue queue_{&loop_, [this](const Context&, const std::string& id) {
                      begun_.push_back(id);
                      if (done_at_once_) queue_.Done(id);
                      return !nothing_to_do_;
                    }};
};

TEST_F(PacedQueueTest, BeginsInOrderAsFarAsThereIsRoom) {
  PutMany(PacedQueue::kMost + 2);
  ASSERT_EQ(begun_.size(), PacedQueue::kMost);
  EXPECT_EQ(begun_[0], "0");
  begun_.clear();
  queue_.Done("7");
  queue_.Done("7");
  queue_.Done("a stranger");
  loop_.RunReady();
  EXPECT_THAT(begun_, ElementsAre(std::to_string(PacedQueue::kMost)));
}

TEST_F(PacedQueueTest, WorkThatIsDoneAtOnceTakesNoRoom) {
  done_at_once_ = true;
  PutMany(1000);
  EXPECT_EQ(begun_.size(), 1000u);
}

TEST_F(PacedQueueTest, WhatNeedsNoWorkAnyMoreTakesNoRoom) {
  nothing_to_do_ = true;
  PutMany(1000);
  EXPECT_EQ(begun_.size(), 1000u);
}

TEST_F(PacedQueueTest, WorkThatHangsHoldsNothingUp) {
  PutMany(8 * PacedQueue::kMost);
  loop_.Advance(PacedQueue::kPatience - 1ms);
  EXPECT_EQ(begun_.size(), PacedQueue::kMost);
  loop_.Advance(1ms);
  EXPECT_EQ(begun_.size(), 3 * PacedQueue::kMost) << "twice as many begin";
  queue_.Done("0");
  loop_.RunReady();
  EXPECT_EQ(begun_.size(), 3 * PacedQueue::kMost) << "it did not count any more";
  loop_.Advance(PacedQueue::kPatience);
  EXPECT_EQ(begun_.size(), 7 * PacedQueue::kMost);
  loop_.Advance(PacedQueue::kPatience);
  EXPECT_EQ(begun_.size(), 8 * PacedQueue::kMost);
  EXPECT_EQ(loop_.live_timers(), 0u) << "nothing waits any more";
  loop_.Advance(PacedQueue::kPatience);
  begun_.clear();
  PutMany(8 * PacedQueue::kMost);
  EXPECT_EQ(begun_.size(), PacedQueue::kMost) << "those that hung are forgotten";
}

TEST_F(PacedQueueTest, HoweverTheyBeganTheirRoomDoublesOncePerPatience) {
  PutMany(1000);
  for (std::size_t i = 0; i < PacedQueue::kMost; ++i) {
    loop_.Advance(10ms);
    queue_.Done(std::to_string(i));
  }
  loop_.RunReady();
  const std::size_t begun = begun_.size();
  EXPECT_EQ(begun, 2 * PacedQueue::kMost);
  loop_.Advance(PacedQueue::kPatience);  // from now on all of them hang
  EXPECT_LE(begun_.size(), begun + 3 * PacedQueue::kMost);
  EXPECT_GT(begun_.size(), begun + PacedQueue::kMost);
}

TEST_F(PacedQueueTest, BeginsNothingAfterItsEnd) {
  running_.Cancel();
  PutMany(3);
  EXPECT_TRUE(begun_.empty());
}

}  // namespace
}  // namespace drover
