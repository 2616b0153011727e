// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/server_list.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace drover {
namespace {

// Leaves the order as it is when a list is shuffled.
std::size_t LastBelow(std::size_t limit) { return limit - 1; }

TEST(ServerListTest, AServerThatFailedIsTheLastOne) {
  ServerList list(LastBelow);
  EXPECT_FALSE(list.First().has_value());
  EXPECT_TRUE(list.Replace({{"a", 1}, {"b", 1}, {"c", 1}, {"a", 1}}));
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list.First()->host, "a");
  list.Failed({"a", 1});
  list.Failed({"unknown", 1});
  EXPECT_EQ(list.First()->host, "b");
  EXPECT_EQ(list.servers().back().host, "a");
}

TEST(ServerListTest, TheSameServersKeepTheirOrder) {
  ServerList list(LastBelow);
  list.Replace({{"a", 1}, {"b", 1}});
  list.Failed({"a", 1});
  EXPECT_FALSE(list.Replace({{"a", 1}, {"b", 1}}));
  EXPECT_FALSE(list.Replace({}));
  EXPECT_EQ(list.First()->host, "b");
  EXPECT_TRUE(list.Replace({{"a", 1}}));
  EXPECT_FALSE(list.Has({"b", 1}));
}

TEST(ServerListTest, ALongListIsCut) {
  ServerList list(LastBelow);
  std::vector<ClusterAddress> many;
  for (int i = 0; i < 1000; ++i) many.push_back({"s" + std::to_string(i), 1});
  list.Replace(many);
  EXPECT_EQ(list.size(), ServerList::kMost);
}

TEST(ServerListTest, NodesOfALargeClusterKeepTheirServerLonger) {
  ServerList list([](std::size_t) { return std::size_t{0}; });
  list.Replace({{"a", 1}, {"b", 1}});
  EXPECT_EQ(list.KeepTime(5), 5min);
  EXPECT_EQ(list.KeepTime(128'000), 1000s);
  EXPECT_LE(list.KeepTime(~std::size_t{0}), 24h);
  ServerList late(LastBelow);
  EXPECT_GT(late.KeepTime(5), 5min);
  EXPECT_LE(late.KeepTime(5), 6min);
}

TEST(ServerListTest, ShufflingKeepsTheServers) {
  ServerList list(KernelRandom());
  list.Replace({{"a", 1}, {"b", 1}, {"c", 1}});
  std::set<std::string> first;
  for (int i = 0; i < 200; ++i) {
    list.Shuffle();
    first.insert(list.First()->host);
  }
  EXPECT_EQ(first, (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(list.size(), 3u);
}

}  // namespace
}  // namespace drover
