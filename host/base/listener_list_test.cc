// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/listener_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace drover {
namespace {

TEST(ListenerListTest, HearsOnlyWhileItsSubscriptionLives) {
  ListenerList<int> listeners;
  std::vector<int> heard;
  Subscription one = listeners.Add([&](int what) { heard.push_back(what); });
  const Subscription two = listeners.Add([&](int what) { heard.push_back(-what); });
  listeners.Call(1);
  one.Cancel();
  listeners.Call(2);
  EXPECT_EQ(heard, (std::vector<int>{1, -1, -2}));
}

// Also in a list that is never called.
TEST(ListenerListTest, ListenersThatHaveGoneDoNotGather) {
  ListenerList<> listeners;
  std::vector<Subscription> kept;
  for (int i = 0; i < 100; ++i) kept.push_back(listeners.Add([] {}));
  const auto witness = std::make_shared<int>(0);
  for (int i = 0; i < 10'000; ++i) listeners.Add([witness] { ++*witness; }).Cancel();
  EXPECT_LE(listeners.size(), 201u);
  EXPECT_LE(witness.use_count(), 102);
  kept.clear();
  EXPECT_TRUE(listeners.empty());
}

}  // namespace
}  // namespace drover
