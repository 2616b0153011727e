// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/cgroup_tracker.h"

#include <gtest/gtest.h>

#include "host/process/process_usage.h"

namespace drover {
namespace {

TEST(CgroupTrackerTest, FindsTheMountOfTheSecondVersion) {
  EXPECT_EQ(CgroupTracker::FindMount("tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
                                     "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
                                     "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"),
            "/sys/fs/cgroup/unified");
  EXPECT_EQ(CgroupTracker::FindMount("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"), "/sys/fs/cgroup");
  EXPECT_EQ(CgroupTracker::FindMount("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"),
            std::nullopt);
  EXPECT_EQ(CgroupTracker::FindMount("garbage"), std::nullopt);
}

TEST(ProcessUsageTest, ReadsTheStatLineOfAnyName) {
  const auto stat = ParseProcessStat(
      "77 (a ) R b) (c) S 42 1 1 0 -1 4194560 1 2 3 4 100 200 7 8 20 0 1 0 99 1000 2000");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, 42);
  EXPECT_EQ(stat->user_time, 1s);
  EXPECT_EQ(stat->system_time, 2s);
  EXPECT_FALSE(ParseProcessStat("77 (x) Z 42 1 1 0 -1 4194560 1 2 3 4 100 200 7 8 20 0 1 0 99"));
  EXPECT_FALSE(ParseProcessStat("77 (x) S 42"));
  EXPECT_FALSE(ParseProcessStat("77 (x)"));
  EXPECT_FALSE(ParseProcessStat(""));
}

}  // namespace
}  // namespace drover
