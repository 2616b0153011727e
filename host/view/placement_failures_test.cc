// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/placement_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using ::testing::ElementsAre;

TEST(PlacementFailureLinesTest, EachReasonHasALine) {
  EXPECT_THAT(PlacementFailureLines({{"g",
                                      {{"CoalescedFailures", 1},
                                       {"NodesEvaluated", 0},
                                       {"NodesAvailable", {{"dc1", 1}, {"dc9", 0}}}}}}),
              ElementsAre("task group \"g\": 2 allocations could not be placed",
                          "  * no node was eligible", "  * no node is in the datacenter \"dc9\""));
  EXPECT_THAT(PlacementFailureLines({{"g",
                                      {{"NodesEvaluated", 1},
                                       {"NodesAvailable", {{"dc1", 1}}},
                                       {"ConstraintFiltered", {{"${node.region} = eu", 1}}},
                                       {"DimensionExhausted", {{"memory", 1}}}}}}),
              ElementsAre("task group \"g\": 1 allocation could not be placed",
                          "  * the constraint \"${node.region} = eu\" excludes 1 of 1 nodes",
                          "  * memory exhausted on 1 of 1 nodes"));
  EXPECT_THAT(
      PlacementFailureLines(
          {{"g", {{"NodesEvaluated", 0}, {"NodesInPool", 0}, {"NodePool", "gpu"}}}}),
      ElementsAre("task group \"g\": 1 allocation could not be placed", "  * no node was eligible",
                  "  * no ready node is in the node pool \"gpu\""));
}

}  // namespace
}  // namespace drover
