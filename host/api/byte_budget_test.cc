// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/byte_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace drover {
namespace {

using ::testing::ElementsAre;

// Takes BYTES, and holds them until `over` is set.
struct Holder {
  explicit Holder(Loop* loop) : over(loop) {}
  Co<void> Run(Context context, ByteBudget* budget, std::size_t bytes) {
    Result<ByteBudget::Share> share = co_await budget->Take(context, bytes);
    got = share.ok() ? Status() : Status(share.error());
    if (share.ok()) co_await over.Wait();
  }
  std::optional<Status> got;
  Event over;
};

class ByteBudgetTest : public ::testing::Test {
 protected:
  Holder* Take(std::size_t bytes, Duration limit = 1h) {
    holders_.push_back(std::make_unique<Holder>(&loop_));
    loop_.Spawn(holders_.back()->Run(context_.WithTimeout(limit), &budget_, bytes));
    loop_.RunReady();
    return holders_.back().get();
  }
  void GiveBack(Holder* holder) {
    holder->over.Set();
    loop_.RunReady();
  }

  SimLoop loop_;
  Context context_{&loop_};
  ByteBudget budget_{100};
  std::vector<std::unique_ptr<Holder>> holders_;
};

TEST_F(ByteBudgetTest, WhoFindsNoRoomWaitsForItsTurn) {
  Holder* const first = Take(60);
  Holder* const second = Take(60);
  Holder* const third = Take(10);
  EXPECT_TRUE(first->got.has_value());
  EXPECT_FALSE(second->got.has_value());
  EXPECT_FALSE(third->got.has_value()) << "small ones would keep a large one out for ever";
  EXPECT_EQ(budget_.left(), 40u);
  GiveBack(first);
  ASSERT_TRUE(second->got && third->got);
  EXPECT_TRUE(second->got->ok() && third->got->ok());
  EXPECT_EQ(budget_.left(), 30u);
  GiveBack(second);
  GiveBack(third);
  EXPECT_EQ(budget_.left(), 100u);
}

TEST_F(ByteBudgetTest, AWaitEndsWithItsContextAndLetsOthersPass) {
  Holder* const first = Take(60);
  Holder* const large = Take(100, 5s);
  Holder* const small = Take(40);
  EXPECT_FALSE(small->got.has_value());
  loop_.Advance(5s);
  ASSERT_TRUE(large->got.has_value());
  EXPECT_EQ(large->got->code(), Code::kTimeout);
  ASSERT_TRUE(small->got.has_value());
  EXPECT_TRUE(small->got->ok());
  EXPECT_EQ(Take(101)->got->code(), Code::kResourceExhausted);
  GiveBack(first);
  GiveBack(small);
  EXPECT_EQ(budget_.left(), 100u);
}

TEST_F(ByteBudgetTest, WhatIsGrantedAsTheContextEndsIsNotLost) {
  Context until = context_.Child();
  Holder* const first = Take(100);
  Holder second(&loop_);
  loop_.Spawn(second.Run(until, &budget_, 50));
  loop_.RunReady();
  until.Cancel("gone");
  first->over.Set();  // both in one turn
  loop_.RunReady();
  second.over.Set();
  loop_.RunReady();
  ASSERT_TRUE(second.got.has_value());
  EXPECT_EQ(budget_.left(), 100u);
}

TEST_F(ByteBudgetTest, ThreadsShareIt) {
  std::vector<std::thread> threads;
  std::vector<int> done(4);
  for (int& count : done) {
    threads.emplace_back([this, &count] {
      RealLoop loop;
      const Context context(&loop);
      const auto work = [](Context until, ByteBudget* budget, int* times) -> Co<void> {
        for (; *times < 500; ++*times) {
          const Result<ByteBudget::Share> share = co_await budget->Take(until, 70);
          if (!share.ok()) co_return;
        }
      };
      EXPECT_TRUE(loop.RunToEnd(work(context.WithTimeout(60s), &budget_, &count)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(done, ElementsAre(500, 500, 500, 500));
  EXPECT_EQ(budget_.left(), 100u);
}

}  // namespace
}  // namespace drover
