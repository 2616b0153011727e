// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/byte_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace drover {
namespace {

using ::testing::ElementsAre;

// Takes BYTES, and holds them until `over` is set. With a CLIENT it gives way when asked; after
// `arrived` is set, it is not asked any more.
struct Holder {
  explicit Holder(Loop* loop) : arrived(loop), over(loop) {}
  Co<void> Run(Context context, ByteBudget* budget, std::size_t bytes, std::string client = "") {
    ByteBudget::Owner owner;
    owner.client = client;
    if (!client.empty()) {
      owner.give_way = [this] {
        ++asked;
        over.Set();
      };
    }
    Result<ByteBudget::Share> share = co_await budget->Take(context, bytes, std::move(owner));
    got = share.ok() ? Status() : Status(share.error());
    if (!share.ok()) co_return;
    const Subscription on_arrived = arrived.OnSet([&] { share->ShrinkTo(bytes); });
    co_await over.Wait();
  }
  bool holds() const { return got && got->ok() && !over.is_set(); }
  std::optional<Status> got;
  int asked = 0;
  Event arrived;
  Event over;
};

class ByteBudgetTest : public ::testing::Test {
 protected:
  Holder* Take(std::size_t bytes, Duration limit = 1h, const std::string& client = "") {
    holders_.push_back(std::make_unique<Holder>(&loop_));
    loop_.Spawn(holders_.back()->Run(context_.WithTimeout(limit), &budget_, bytes, client));
    loop_.RunReady();
    return holders_.back().get();
  }
  Holder* Take(const std::string& client, std::size_t bytes) { return Take(bytes, 1h, client); }
  void GiveBackAll() {
    for (const auto& holder : holders_) GiveBack(holder.get());
    EXPECT_EQ(budget_.left(), 100u);
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

TEST_F(ByteBudgetTest, WhatDoesNotComeGivesWayToOthersAtOnce) {
  std::vector<Holder*> silent;
  for (int i = 0; i < 10; ++i) silent.push_back(Take("mallory", 25));
  loop_.Advance(ByteBudget::kGrace);
  Holder* const other = Take("alice", 50);
  EXPECT_TRUE(other->holds());
  EXPECT_EQ(silent[0]->asked, 1) << "the oldest";
  EXPECT_EQ(silent[1]->asked, 1);
  EXPECT_TRUE(silent[2]->holds());
  EXPECT_TRUE(silent[3]->holds());
  EXPECT_FALSE(silent[4]->got.has_value()) << "a waiter that came before stands behind";
  loop_.Advance(1min);
  EXPECT_TRUE(other->holds()) << "it holds no more than the other";
  GiveBackAll();
}

TEST_F(ByteBudgetTest, WhatIsYoungMayStillCome) {
  Holder* const young = Take("mallory", 100);
  Holder* const other = Take("alice", 1);
  loop_.Advance(ByteBudget::kGrace - 1ns);
  EXPECT_TRUE(young->holds());
  EXPECT_FALSE(other->got.has_value());
  loop_.Advance(1ns);
  EXPECT_FALSE(young->holds());
  EXPECT_TRUE(other->holds());
  GiveBackAll();
}

TEST_F(ByteBudgetTest, NothingGivesWayToWhoHoldsAsMuch) {
  Holder* const first = Take("alice", 50);
  Holder* const second = Take("bob", 50);
  Holder* const more = Take("alice", 10);
  loop_.Advance(1min);
  EXPECT_TRUE(first->holds() && second->holds());
  EXPECT_FALSE(more->got.has_value());
  Holder* const third = Take("carol", 10);
  EXPECT_TRUE(third->holds());
  EXPECT_FALSE(first->holds());
  EXPECT_TRUE(second->holds());
  EXPECT_TRUE(more->holds());
  GiveBackAll();
}

TEST_F(ByteBudgetTest, WhatHasArrivedDoesNotGiveWay) {
  Holder* const whole = Take("alice", 60);
  whole->arrived.Set();
  Holder* const half = Take("alice", 40);
  loop_.Advance(1min);
  Holder* const other = Take("bob", 50);
  EXPECT_TRUE(whole->holds());
  EXPECT_FALSE(half->holds());
  EXPECT_FALSE(other->got.has_value());
  GiveBack(whole);
  EXPECT_TRUE(other->holds());
  GiveBackAll();
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
