// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/unit_cgroups.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

constexpr char kMounts[] = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
constexpr char kUnit[] = "/sys/fs/cgroup/system.slice/drover.service";

bool OnlyTheUnit(const std::string& directory) { return directory == kUnit; }

std::string Found(const std::string& mounts, const std::string& cgroups) {
  const auto found = FindUnitCgroups(mounts, cgroups, OnlyTheUnit);
  return found ? found->unit : "none";
}

TEST(UnitCgroupsTest, FindsTheDelegatedUnitOfTheProcess) {
  EXPECT_EQ(Found(kMounts, "0::/system.slice/drover.service\n"), kUnit);
  // Also after the agent has moved to its cgroup, and beside version 1 hierarchies.
  EXPECT_EQ(Found(kMounts, "0::/system.slice/drover.service/agent\n"), kUnit);
  EXPECT_EQ(Found(kMounts, "4:memory:/x\n0::/system.slice/drover.service\n"), kUnit);
}

TEST(UnitCgroupsTest, TakesNoCgroupThatIsNotItsOwn) {
  EXPECT_EQ(Found(kMounts, "0::/system.slice/other.service\n"), "none");
  // A cgroup of somebody else below the unit: the unit is not ours.
  EXPECT_EQ(Found(kMounts, "0::/system.slice/drover.service/tasks/x\n"), "none");
  EXPECT_EQ(Found(kMounts, "0::/\n"), "none");
  EXPECT_EQ(Found("", "0::/system.slice/drover.service\n"), "none");
  EXPECT_EQ(Found(kMounts, "4:memory:/system.slice/drover.service\n"), "none");
}

TEST(UnitCgroupsTest, FindsTheUnitBesideThatIsForTasks) {
  const auto beside = [](const std::string& directory) {
    return directory == "/sys/fs/cgroup/system.slice/drover-tasks.service";
  };
  const auto found = FindUnitCgroups(kMounts, "0::/system.slice/drover.service\n", beside);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_for_tasks);
  EXPECT_EQ(found->tasks(), "/sys/fs/cgroup/system.slice/drover-tasks.service/tasks");
  for (const char* other : {"0::/system.slice/other.service\n", "0::/system.slice/drover.scope\n",
                            "0::/user.slice/drover.service\n"})
    EXPECT_FALSE(FindUnitCgroups(kMounts, other, beside)) << other;
  // The unit that the process is in comes first.
  const auto both = [](const std::string& directory) { return directory.ends_with(".service"); };
  EXPECT_FALSE(FindUnitCgroups(kMounts, "0::/system.slice/drover.service\n", both)->is_for_tasks);
}

TEST(UnitCgroupsTest, NamesItsCgroups) {
  const UnitCgroups unit{"/c/u"};
  EXPECT_EQ(unit.agent() + unit.shims() + unit.tasks(), "/c/u/agent/c/u/shims/c/u/tasks");
}

}  // namespace
}  // namespace drover
