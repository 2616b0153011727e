// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/cgroup_tracker.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "host/base/directory_for_test.h"
#include "host/process/process_usage.h"
#include "host/process/small_file.h"

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

TEST(CgroupTrackerTest, FindsTheMountOfAVersion1Controller) {
  const std::string mounts =
      "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
      "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n"
      "cgroup /sys/fs/cgroup/f cgroup rw,freezer,devices 0 0\n";
  EXPECT_EQ(CgroupTracker::FindVersion1(mounts, "freezer"), "/sys/fs/cgroup/f");
  EXPECT_EQ(CgroupTracker::FindVersion1(mounts, "cpuacct"), "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(CgroupTracker::FindVersion1("cgroup /sys/fs/cgroup/x cgroup rw,name=freezer 0 0\n",
                                        "freezer"),
            std::nullopt);
}

// Agents with one run directory begin at the same time.
TEST(CgroupTrackerTest, TrialsOfOneRunDirectoryTakeTurns) {
  const auto mount =
      CgroupTracker::FindMount(ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or(""));
  if (!mount || geteuid() != 0) GTEST_SKIP() << "it needs root and a mount of the hierarchy";
  const std::string root = *mount + "/drover-trial-test-" + std::to_string(getpid());
  const DirectoryForTest run_dir;
  const auto open_many = [&] {
    for (int time = 0; time < 30; ++time) {
      const UniqueFd notes(open(run_dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      const auto opened = CgroupTracker::Open(root, notes.get());
      EXPECT_TRUE(opened.ok()) << opened.error().message();
    }
  };
  std::vector<std::thread> agents;
  for (int agent = 0; agent < 4; ++agent) agents.emplace_back(open_many);
  for (std::thread& agent : agents) agent.join();
  EXPECT_TRUE(std::filesystem::is_empty(run_dir.path())) << "a note is left";
  EXPECT_EQ(rmdir(root.c_str()), 0) << "a cgroup is left";
}

// Tracks cgroups below a root of the test's own. The one cgroup holds a process that ends as soon
// as it has made the next one, and many others: it is gone before the list of members is read.
class ForkChainTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    const auto mount = GetParam() ? CgroupTracker::FindVersion1(mounts, "freezer")
                                  : CgroupTracker::FindMount(mounts);
    if (!mount || geteuid() != 0) GTEST_SKIP() << "it needs root and a mount of the hierarchy";
    root_ = *mount + "/drover-tracker-test-" + std::to_string(getpid());
    file_ = testing::TempDir() + "/drover-fork-chain-" + std::to_string(getpid());
    tracker_ = CgroupTracker::Open(root_).value();
    ASSERT_EQ(tracker_->is_freezer(), GetParam());
    cgroup_ = tracker_->Create(run_).value();
    // Orphans become our children, and nobody has to wait for them.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, SIG_IGN);
  }
  void TearDown() override {
    if (!tracker_) return;
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    EXPECT_TRUE(Within(30s, [this] {
      tracker_->Kill(run_);
      return tracker_->Remove(run_);
    }));
    EXPECT_EQ(rmdir(root_.c_str()), 0);
    std::filesystem::remove(file_);
    signal(SIGCHLD, SIG_DFL);
  }

  static bool Within(Duration limit, const std::function<bool()>& done) {
    const TimePoint end = BootClock::now() + limit;
    while (!done()) {
      if (BootClock::now() > end) return false;
      std::this_thread::sleep_for(1ms);
    }
    return true;
  }
  std::uintmax_t born() const {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(file_, none);
    return none ? 0 : size;
  }
  // Runs WORK in a process of the cgroup.
  void Enter(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child == 0) {
      const int procs = openat(cgroup_.get(), "cgroup.procs", O_WRONLY | O_CLOEXEC);
      if (write(procs, "0", 1) == 1) work();
      _exit(127);
    }
    ASSERT_GT(child, 0);
  }

  const RunId run_ = RunId::Random();
  std::string root_;
  std::string file_;
  std::unique_ptr<CgroupTracker> tracker_;
  UniqueFd cgroup_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, ForkChainTest, testing::Values(false, true),
                         [](const auto& param) { return param.param ? "Freezer" : "Cgroup"; });

TEST_P(ForkChainTest, OneKillEndsThemAll) {
  for (int i = 0; i < 300; ++i) {
    Enter([] {
      for (;;) pause();
    });
  }
  Enter([this] { execl(DROVER_FORK_CHAIN, DROVER_FORK_CHAIN, file_.c_str(), "20", nullptr); });
  ASSERT_TRUE(Within(20s, [this] { return born() > 2000; }));
  tracker_->Kill(run_);
  EXPECT_TRUE(Within(30s, [this] { return !tracker_->Populated(run_); }));
  const std::uintmax_t at_the_end = born();
  std::this_thread::sleep_for(50ms);  // a surviving process would go on meanwhile
  EXPECT_EQ(born(), at_the_end);
}

TEST_P(ForkChainTest, AKillEndsWhatAMemberHasFrozen) {
  const std::string below = root_ + "/" + run_.ToString() + "/below";
  ASSERT_EQ(mkdir(below.c_str(), 0755), 0);
  const auto write_to = [&](const char* file, const std::string& text) {
    return WriteSmallFile(AT_FDCWD, (below + "/" + file).c_str(), text);
  };
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  ASSERT_GT(child, 0);
  ASSERT_EQ(write_to("cgroup.procs", std::to_string(child)), 0);
  ASSERT_EQ(GetParam() ? write_to("freezer.state", "FROZEN") : write_to("cgroup.freeze", "1"), 0);
  tracker_->Kill(run_);
  EXPECT_TRUE(Within(10s, [this] { return !tracker_->Populated(run_); }));
}

TEST(ProcessUsageTest, ReadsTheStatLineOfAnyName) {
  const auto stat = ParseProcessStat(
      "77 (a ) R b) (c) S 42 1 1 0 -1 4194560 1 2 3 4 100 200 7 8 20 0 1 0 99 1000 2000");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, 42);
  EXPECT_EQ(stat->user_time, 1s);
  EXPECT_EQ(stat->system_time, 2s);
  EXPECT_EQ(stat->started, 990ms);
  EXPECT_FALSE(ParseProcessStat("77 (x) Z 42 1 1 0 -1 4194560 1 2 3 4 100 200 7 8 20 0 1 0 99"));
  EXPECT_FALSE(ParseProcessStat("77 (x) S 42"));
  EXPECT_FALSE(ParseProcessStat("77 (x)"));
  EXPECT_FALSE(ParseProcessStat(""));
}

TEST(ProcessUsageTest, ReadsWhatIsInMemoryAndWhatIsSwappedOut) {
  const char* const status =
      "Name:\tVmSwap:\t  9 kB\nVmPeak:\t    5000 kB\nVmRSS:\t    1200 kB\nVmSwap:\t      34 kB\n";
  EXPECT_EQ(ParseStatusField(status, "VmRSS"), 1200u * 1024);
  EXPECT_EQ(ParseStatusField(status, "VmSwap"), 34u * 1024);
  EXPECT_EQ(ParseStatusField(status, "VmLck"), 0u);
  EXPECT_EQ(ParseStatusField("Name:\tkthread\n", "VmSwap"), 0u);
  EXPECT_EQ(ParseStatusField("Name:\tx\nVmSwap:", "VmSwap"), 0u);
}

}  // namespace
}  // namespace drover
