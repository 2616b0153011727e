// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/datacenters.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(DatacentersTest, AStarStandsForAnyLetters) {
  for (const char* const pattern : {"*", "dc1", "dc*", "*1", "d*1", "*c*", "**", "d**1"}) {
    EXPECT_TRUE(IsInDatacenters({pattern}, "dc1")) << pattern;
  }
  for (const char* const pattern : {"", "dc", "dc2", "*2", "c*", "DC1", "dc1*1", "dc?", "[d]c1"}) {
    EXPECT_FALSE(IsInDatacenters({pattern}, "dc1")) << pattern;
  }
}

TEST(DatacentersTest, SaysOfWhichThereIsNoNode) {
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(NodesAvailable({"*"}, "dc1"), (Counts{{"dc1", 1}}));
  EXPECT_EQ(NodesAvailable({"dc1", "dc2", "d*"}, "dc1"), (Counts{{"dc1", 1}, {"dc2", 0}}));
  EXPECT_EQ(NodesAvailable({"eu-*"}, "dc1"), (Counts{{"eu-*", 0}}));
  EXPECT_FALSE(IsInDatacenters({}, "dc1"));
}

}  // namespace
}  // namespace drover
