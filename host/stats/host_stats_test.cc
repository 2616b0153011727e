// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/stats/host_stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(HostStatsTest, MemoryIsUsedWhenItIsNeitherFreeNorACache) {
  const HostStats::Memory memory = ParseMemory(
      "MemTotal:        1000 kB\nMemFree:          200 kB\nMemAvailable:     600 kB\n"
      "Buffers:           10 kB\nCached:           300 kB\nSwapCached:        77 kB\n"
      "SReclaimable:      40 kB\nHugePages_Total:       0\n");
  EXPECT_EQ(memory, (HostStats::Memory{1000 << 10, 600 << 10, 450 << 10, 200 << 10}));
  EXPECT_EQ(ParseMemory("nonsense\n:\n"), HostStats::Memory());
}

TEST(HostStatsTest, TimesOfCoresWithoutTheirSum) {
  const auto cores = ParseCoreTimes(
      "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 10 50 800 40 3 2 5 7 0\n"
      "cpu1 1 2 3 4\nintr 12345 0\nctxt 99\n");
  ASSERT_THAT(cores, SizeIs(2));
  EXPECT_EQ(cores.at("cpu0"), (CoreTimes{110, 55, 840, 1010}));
  EXPECT_EQ(cores.at("cpu1"), (CoreTimes{3, 3, 4, 10})) << "a kernel that reports fewer fields";
}

TEST(HostStatsTest, PercentagesAreThoseBetweenTwoLooks) {
  const HostStats::Core core = CoreUsage("cpu0", {100, 50, 800, 1000}, {130, 60, 850, 1100}, 2000);
  EXPECT_DOUBLE_EQ(core.user, 30);
  EXPECT_DOUBLE_EQ(core.system, 10);
  EXPECT_DOUBLE_EQ(core.idle, 50);
  EXPECT_DOUBLE_EQ(core.total, 50) << "includes the time of other virtual machines";
  EXPECT_DOUBLE_EQ(core.ticks, 1000);
  EXPECT_DOUBLE_EQ(CoreUsage("cpu0", {1, 1, 1, 3}, {1, 1, 1, 3}, 2000).idle, 100) << "no time";
  EXPECT_DOUBLE_EQ(CoreUsage("cpu0", {0, 0, 9, 9}, {4, 0, 8, 12}, 0).idle, 0) << "backwards";
}

TEST(HostStatsTest, DisksAreBlockDevicesEachOnce) {
  const char* filesystems =
      "nodev\tproc\nnodev\ttmpfs\n\text4\n\tvfat\n\tfuseblk\nnodev\toverlay\n";
  EXPECT_THAT(ParseDiskMounts("overlay / overlay rw 0 0\nproc /proc proc rw 0 0\n"
                              "/dev/vda1 /mnt/a\\040b\\134c ext4 rw 0 0\n"
                              "/dev/vda1 /elsewhere ext4 rw 0 0\n"
                              "/dev/vdb /boot vfat rw 0 0\n/dev/vdc /ntfs fuseblk rw 0 0\n"
                              "tmpfs /tmp tmpfs rw 0 0\n",
                              filesystems),
              ElementsAre(DiskMount{"/dev/vda1", "/mnt/a b\\c"}, DiskMount{"/dev/vdb", "/boot"}));
  EXPECT_THAT(ParseDiskMounts("", filesystems), IsEmpty());
}

TEST(HostStatsTest, ThisMachineHasMemoryCoresAndADisk) {
  HostStatsReader reader("/tmp", 1000);
  const HostStats stats = reader.Look();
  EXPECT_GT(stats.memory.total, stats.memory.free);
  EXPECT_GE(stats.memory.total, stats.memory.available);
  ASSERT_FALSE(stats.cores.empty());
  for (const HostStats::Core& core : stats.cores) {
    EXPECT_GE(core.total, 0) << core.name;
    EXPECT_LE(core.total, 100) << core.name;
  }
  EXPECT_EQ(stats.alloc_dir.mountpoint, "/tmp");
  EXPECT_GT(stats.alloc_dir.size, 0u);
  EXPECT_GT(stats.uptime, 0u);
  EXPECT_GT(stats.timestamp, 0);
}

}  // namespace
}  // namespace drover
