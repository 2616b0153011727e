// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/usage_sampler.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

// Uses directories of plain files as cgroups, and counts each walk over the processes.
class UsageSamplerTest : public testing::Test {
 protected:
  void Make(const std::string& name, const std::string& text) {
    std::ofstream(root_.path() + "/" + name) << text;
  }
  void MakeMemory() {
    Make("memory.current", "9000\n");
    Make("memory.stat", "anon 5000\nfile 3000\nfile_mapped 1000\n");
  }
  void MakeCpu() { Make("cpu.stat", "usage_usec 30\nuser_usec 20\nsystem_usec 10\n"); }

  RunUsage Open() {
    ++opened_;
    const UniqueFd directory(open(root_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return RunUsage::Open(layout_(directory.get()));
  }
  std::vector<ProcessUsage::Process> Walk() {
    ++walked_;
    return {{.pid = 7, .user_time = 1s, .system_time = 2s, .rss = 100, .swap = 10},
            {.pid = 8, .user_time = 1s, .system_time = 2s, .rss = 200, .swap = 20}};
  }

  SimLoop loop_;
  const DirectoryForTest root_;
  // Says which cgroups of the run the directory stands for.
  std::function<RunUsage::Cgroups(int)> layout_ = [](int directory) {
    return RunUsage::Cgroups{.tracking = directory};
  };
  int opened_ = 0;
  int walked_ = 0;
  const RunId run_ = RunId::Random();
  UsageSampler sampler_{&loop_, [this](const RunId&) { return Open(); },
                        [this](const RunId&) { return Walk(); }};
};

TEST_F(UsageSamplerTest, NoProcessIsLookedAtWhereTheFilesTellAll) {
  MakeMemory();
  MakeCpu();
  for (int i = 0; i < 3; ++i) {
    const ProcessUsage usage = sampler_.Sample(run_, UsageDetail::kTotals);
    EXPECT_EQ(usage.rss, 5000u);
    EXPECT_EQ(usage.user_time, 20us);
    EXPECT_TRUE(usage.processes.empty());
  }
  EXPECT_EQ(walked_, 0);
  EXPECT_EQ(opened_, 1);
}

// Version 1, tracked by the freezer: an ended process counts, too, although no walk finds it.
TEST_F(UsageSamplerTest, NeitherWhereVersion1CountsMemoryAndTime) {
  layout_ = [](int directory) {
    return RunUsage::Cgroups{.memory = directory, .cpuacct = directory};
  };
  Make("memory.usage_in_bytes", "9000\n");
  Make("memory.stat", "total_rss 5000\ntotal_cache 3000\ntotal_mapped_file 1000\n");
  Make("cpuacct.usage", "4000000000\n");
  Make("cpuacct.stat", "user 30\nsystem 10\n");
  const ProcessUsage usage = sampler_.Sample(run_, UsageDetail::kTotals);
  EXPECT_EQ(usage.user_time, 3s) << "three of four ticks, though they show 400 ms";
  EXPECT_EQ(usage.system_time, 1s);
  EXPECT_EQ(usage.rss, 5000u);
  EXPECT_EQ(walked_, 0);
  // The sampler still reads the same open file.
  Make("cpuacct.usage", "5000000000\n");
  Make("cpuacct.stat", "user 0\nsystem 0\n");
  EXPECT_EQ(sampler_.Sample(run_, UsageDetail::kTotals).user_time, 5s) << "not a tick yet";
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(walked_, 0);
}

TEST_F(UsageSamplerTest, TheyAreWhenSomebodyWantsToKnowThemAndTheTotalsStay) {
  MakeMemory();
  MakeCpu();
  const ProcessUsage usage = sampler_.Sample(run_, UsageDetail::kProcesses);
  EXPECT_EQ(walked_, 1);
  ASSERT_EQ(usage.processes.size(), 2u);
  EXPECT_EQ(usage.processes[1].rss, 200u);
  EXPECT_EQ(usage.rss, 5000u);
  EXPECT_EQ(usage.system_time, 10us);
}

TEST_F(UsageSamplerTest, WithoutMemoryFilesTheTotalsAreThoseOfTheProcesses) {
  MakeCpu();
  const ProcessUsage usage = sampler_.Sample(run_, UsageDetail::kTotals);
  EXPECT_EQ(walked_, 1);
  EXPECT_EQ(usage.rss, 300u);
  EXPECT_EQ(usage.swap, 30u);
  EXPECT_EQ(usage.user_time, 20us) << "which a file tells";
  EXPECT_TRUE(usage.processes.empty()) << "nobody asked for them";
}

TEST_F(UsageSamplerTest, WithoutProcessorFilesTheSameHolds) {
  MakeMemory();
  const ProcessUsage usage = sampler_.Sample(run_, UsageDetail::kTotals);
  EXPECT_EQ(walked_, 1);
  EXPECT_EQ(usage.user_time, 2s);
  EXPECT_EQ(usage.rss, 5000u);
}

TEST_F(UsageSamplerTest, FilesAreClosedWhenNobodyHasAskedForAWhile) {
  MakeMemory();
  MakeCpu();
  for (int i = 0; i < 30; ++i) {
    sampler_.Sample(run_, UsageDetail::kTotals);
    loop_.Advance(1s);
  }
  EXPECT_EQ(opened_, 1);
  loop_.Advance(20s);
  EXPECT_EQ(loop_.live_timers(), 0u);
  sampler_.Sample(run_, UsageDetail::kTotals);
  EXPECT_EQ(opened_, 2);
  sampler_.Forget(run_);
  sampler_.Sample(run_, UsageDetail::kTotals);
  EXPECT_EQ(opened_, 3);
}

}  // namespace
}  // namespace drover
