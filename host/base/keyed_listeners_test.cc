// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/keyed_listeners.h"

#include <gtest/gtest.h>

#include <vector>

namespace drover {
namespace {

TEST(KeyedListenersTest, HearOnlyOfTheirKey) {
  KeyedListeners<int, int> listeners;
  std::vector<int> heard;
  const Subscription one = listeners.Add(1, [&](int what) { heard.push_back(what); });
  Subscription two = listeners.Add(2, [&](int what) { heard.push_back(-what); });
  listeners.Call(1, 7);
  listeners.Call(2, 8);
  listeners.Call(3, 9);
  two.Cancel();
  listeners.Call(2, 10);
  EXPECT_EQ(heard, (std::vector<int>{7, -8}));
}

TEST(KeyedListenersTest, KeysWithoutListenersDoNotGather) {
  KeyedListeners<int> listeners;
  std::vector<Subscription> kept;
  for (int key = 0; key < 100; ++key) kept.push_back(listeners.Add(key, [] {}));
  for (int key = 100; key < 10'000; ++key) listeners.Add(key, [] {}).Cancel();
  EXPECT_GE(listeners.keys(), 100u);
  EXPECT_LE(listeners.keys(), 201u);
}

}  // namespace
}  // namespace drover
