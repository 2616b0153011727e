// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/resource_cgroups.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <set>
#include <sstream>

#include "host/base/directory_for_test.h"
#include "host/process/process_test_fixture.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

// A tree of files like the kernel's, but writing to them has no effect.
class FakeCgroups : public ::testing::Test {
 protected:
  void Make(const std::string& path, const std::string& text = "") {
    std::filesystem::create_directories(
        (root_.path() + "/" + path).substr(0, (root_.path() + "/" + path).rfind('/')));
    std::ofstream(root_.path() + "/" + path) << text;
  }
  std::string Read(const std::string& path) {
    return ReadSmallFile(AT_FDCWD, (root_.path() + "/" + path).c_str()).value_or("missing");
  }
  std::string Mounts() const {
    return "cgroup2 " + root_.path() + "/two cgroup2 rw 0 0\ncgroup " + root_.path() +
           "/cpu cgroup rw,cpu,cpuacct 0 0\n";
  }

  const DirectoryForTest root_;
  RunId run_ = RunId::Random();
};

TEST_F(FakeCgroups, Version2LimitsTheTrackingCgroup) {
  const std::string own = "two/unit/drover/" + run_.ToString();
  Make("two/cgroup.controllers", "cpuset memory pids\n");
  for (const char* path : {"two", "two/unit", "two/unit/drover"})
    Make(std::string(path) + "/cgroup.subtree_control");
  for (const char* file :
       {"memory.max", "memory.low", "memory.swap.max", "memory.events", "pids.max"})
    Make(own + "/" + file);
  const auto cgroups = ResourceCgroups::Open("x " + root_.path() + "/two cgroup2 rw 0 0\n",
                                             root_.path() + "/two/unit/drover");
  EXPECT_EQ(cgroups->missing(), "cpu");
  const UniqueFd tracking(
      open((root_.path() + "/" + own).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ResourceLimits limits{64 << 20, 128 << 20, 500, 77};
  const auto made = cgroups->Create(run_, limits, tracking.get());
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_TRUE(made->cgroups.empty());
  EXPECT_TRUE(made->memory_events);
  EXPECT_EQ(Read(own + "/memory.max"), "134217728");
  EXPECT_EQ(Read(own + "/memory.low"), "67108864");
  EXPECT_EQ(Read(own + "/memory.swap.max"), "0");
  EXPECT_EQ(Read(own + "/pids.max"), "77");
  // The controller that was written last; a real file keeps both.
  for (const char* path : {"two", "two/unit", "two/unit/drover"})
    EXPECT_EQ(Read(std::string(path) + "/cgroup.subtree_control"), "+pids") << path;
  EXPECT_TRUE(cgroups->Remove(run_));
}

TEST_F(FakeCgroups, WhatATaskHasMadeBelowItsOwnIsRemovedWithIt) {
  Make("cpu/cgroup.procs");
  const auto cgroups = ResourceCgroups::Open(Mounts(), root_.path() + "/two/drover");
  ASSERT_TRUE(cgroups->CreateAccounting(run_));
  const std::string own = root_.path() + "/cpu/drover/" + run_.ToString();
  std::filesystem::create_directories(own + "/a/b");
  EXPECT_TRUE(cgroups->Remove(run_));
  EXPECT_FALSE(std::filesystem::exists(own));
}

TEST_F(FakeCgroups, Version2HasHardLimitsOfProcessors) {
  const std::string own = "two/drover/" + run_.ToString();
  Make("two/cgroup.controllers", "cpuset cpu\n");
  for (const char* path : {"two", "two/drover"})
    Make(std::string(path) + "/cgroup.subtree_control");
  for (const char* file : {"cpu.max", "cpuset.cpus"}) Make(own + "/" + file);
  const auto cgroups = ResourceCgroups::Open("x " + root_.path() + "/two cgroup2 rw 0 0\n",
                                             root_.path() + "/two/drover");
  const UniqueFd tracking(
      open((root_.path() + "/" + own).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(cgroups->Create(run_, {.cpu_time = 1.5, .cores = "0,5-7"}, tracking.get()).ok());
  EXPECT_EQ(Read(own + "/cpu.max"), "150000 100000");
  EXPECT_EQ(Read(own + "/cpuset.cpus"), "0,5-7");
  // A value below the kernel's minimum becomes that minimum.
  ASSERT_TRUE(cgroups->Create(run_, {.cpu_time = 0.0001}, tracking.get()).ok());
  EXPECT_TRUE(Read(own + "/cpu.max").starts_with("1000 100000"));
}

TEST_F(FakeCgroups, CoresThatCannotBeHadAreAnError) {
  std::filesystem::create_directories(root_.path() + "/cpu");
  const auto cgroups = ResourceCgroups::Open(Mounts(), root_.path() + "/two/drover");
  const auto made = cgroups->Create(run_, {.cpu_shares = 100, .cores = "1"}, -1);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.code(), Code::kFailedPrecondition);
  EXPECT_THAT(made.error().message(),
              HasSubstr("reserves the cores 1, but there is no cgroup controller cpuset here"));
  EXPECT_FALSE(std::filesystem::exists(root_.path() + "/cpu/drover"));
}

TEST_F(FakeCgroups, WhatIsAboveADelegatedUnitIsNotOurs) {
  const std::string own = "two/unit/tasks/" + run_.ToString();
  Make("two/cgroup.controllers", "cpu memory pids\n");
  Make("two/unit/cgroup.controllers", "memory\n");
  for (const char* path : {"two", "two/unit", "two/unit/tasks"})
    Make(std::string(path) + "/cgroup.subtree_control");
  for (const char* file : {"memory.max", "memory.events"}) Make(own + "/" + file);
  const auto cgroups =
      ResourceCgroups::Open("x " + root_.path() + "/two cgroup2 rw 0 0\n",
                            root_.path() + "/two/unit/tasks", root_.path() + "/two/unit");
  EXPECT_EQ(cgroups->missing(), "cpu, pids, cpuset");
  const UniqueFd tracking(
      open((root_.path() + "/" + own).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(cgroups->Create(run_, {64 << 20, 0, 500, 77}, tracking.get()).ok());
  EXPECT_EQ(Read("two/cgroup.subtree_control"), "");
  EXPECT_EQ(Read("two/unit/cgroup.subtree_control"), "+memory");
  EXPECT_EQ(Read(own + "/memory.max"), "67108864");
}

TEST_F(FakeCgroups, BesideVersion1TheUnitDoesNotNameTheCgroups) {
  Make("cpu/drover/x");  // "tasks" is a file in each cgroup of version 1
  const auto cgroups =
      ResourceCgroups::Open(Mounts(), root_.path() + "/two/unit/tasks", root_.path() + "/two/unit");
  EXPECT_FALSE(cgroups->Create(run_, {0, 0, 100, 0}, -1).ok());  // its files are missing
  EXPECT_FALSE(std::filesystem::exists(root_.path() + "/cpu/tasks"));
}

TEST_F(FakeCgroups, AHierarchyElsewhereIsNotTouched) {
  Make("two/cgroup.controllers", "memory pids cpu\n");
  Make("two/cgroup.subtree_control");
  const auto cgroups =
      ResourceCgroups::Open("x " + root_.path() + "/two cgroup2 rw 0 0\n", "/elsewhere/drover");
  EXPECT_EQ(cgroups->missing(), "memory, cpu, pids, cpuset");
  EXPECT_TRUE(cgroups->Create(run_, {1 << 20, 0, 1, 1}, -1).ok());
  EXPECT_EQ(Read("two/cgroup.subtree_control"), "");
}

TEST_F(FakeCgroups, AnErrorNamesTheFileAndLeavesNothing) {
  std::filesystem::create_directories(root_.path() + "/cpu");
  const auto cgroups = ResourceCgroups::Open(Mounts(), root_.path() + "/two/drover");
  EXPECT_EQ(cgroups->missing(), "memory, pids, cpuset");
  // A new directory of a fake tree has no files.
  const auto made = cgroups->Create(run_, {0, 0, 100, 0}, -1);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(),
            "cannot write 100 to the cgroup's cpu.shares: No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(root_.path() + "/cpu/drover/" + run_.ToString()));
}

TEST_F(FakeCgroups, WithoutLimitsNothingIsMade) {
  std::filesystem::create_directories(root_.path() + "/cpu");
  const auto cgroups = ResourceCgroups::Open(Mounts(), "");
  const auto made = cgroups->Create(run_, {}, -1);
  ASSERT_TRUE(made.ok());
  EXPECT_FALSE(std::filesystem::exists(root_.path() + "/cpu/drover"));
}

// Runs in the kernel's cgroups, as far as this machine has them.
class ResourceTest : public ProcessFixture {
 protected:
  void SetUp() override {
    ProcessFixture::SetUp();
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    const std::string missing = ResourceCgroups::Open(mounts, cgroup_root_)->missing();
    if (!has_cgroups() || !missing.empty())
      GTEST_SKIP() << "limits need root, a tracking cgroup and the controllers memory, cpu, pids "
                      "and cpuset; "
                      "missing here: "
                   << missing;
  }
};

TEST_F(ResourceTest, TheControllersTellWhatARunUses) {
  ProcessSpec spec = Shell(
      "head -c 3000000 /dev/zero > $DIR/file; cat $DIR/file > /dev/null; "
      "x=$(head -c 2000000 /dev/zero | tr '\\0' x); echo > $DIR/ready; while :; do :; done");
  spec.resources.memory = 64 << 20;
  spec.resources.cpu_time = 0.05;  // a busy machine gives less than half of a core
  const RunId run = MustStart(std::move(spec));
  ASSERT_TRUE(Until([&] { return !Read("ready").empty(); }, 60s));
  const long before = OpenFds();
  std::optional<ProcessUsage> usage;
  ASSERT_TRUE(Until([&] {
    const Result<ProcessUsage> sample =
        Await(service_->Usage(Forever(), run, UsageDetail::kProcesses));
    if (sample.ok()) usage = *sample;
    return usage && usage->throttling && usage->throttling->periods > 0;
  }));
  EXPECT_GT(usage->throttling->time, Duration(0));
  ASSERT_TRUE(usage->memory);
  EXPECT_GT(usage->rss, 2'000'000u);
  EXPECT_LT(usage->rss, 64u << 20);
  EXPECT_GE(usage->memory->usage, usage->rss);
  EXPECT_GT(usage->memory->cache, 2'000'000u) << "the file is on a tmpfs";
  if (usage->memory->max_usage) EXPECT_GE(*usage->memory->max_usage, usage->rss);
  // The files stay open, and the next sample reads the same ones.
  const long open = OpenFds();
  EXPECT_GT(open, before);
  EXPECT_LE(open, before + 5);
  EXPECT_TRUE(Await(service_->Usage(Forever(), run, UsageDetail::kProcesses)).ok());
  EXPECT_EQ(OpenFds(), open);
  ASSERT_TRUE(Await(service_->Release(Forever(), run)).ok());
  EXPECT_LT(OpenFds(), before);
}

TEST_F(ResourceTest, ATaskThatIsKilledForMemoryIsToldSo) {
  ProcessSpec spec = Shell("x=x; while :; do x=$x$x; done");
  spec.resources.memory = 16 << 20;
  const ProcessExit exit = WaitFor(MustStart(std::move(spec)));
  EXPECT_TRUE(exit.oom_killed);
  EXPECT_EQ(exit.signal, SIGKILL);
}

TEST_F(ResourceTest, AKillFromOutsideIsNotTakenForIt) {
  ProcessSpec spec = Shell("kill -KILL $$");
  spec.resources.memory = 16 << 20;
  const ProcessExit exit = WaitFor(MustStart(std::move(spec)));
  EXPECT_FALSE(exit.oom_killed);
  EXPECT_EQ(exit.signal, SIGKILL);
}

TEST_F(ResourceTest, TenMegabytesAreEnoughToRunTrue) {
  ProcessSpec spec = Shell("");
  spec.argv = {"/bin/true"};
  spec.resources.memory = 10 << 20;
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0);
}

TEST_F(ResourceTest, AForkBombEndsAtItsOwnLimit) {
  // The shell stops when it cannot fork.
  ProcessSpec spec =
      Shell("i=0; while [ $i -lt 60 ]; do sleep 1000 & i=$((i+1)); done; echo all of them");
  spec.resources.max_processes = 20;
  const ProcessExit exit = WaitFor(MustStart(std::move(spec)));
  EXPECT_NE(exit.exit_code, 0);
  EXPECT_THAT(Read("logs/web.stderr.0"), HasSubstr("fork"));
  EXPECT_EQ(RunShell("echo another").exit_code, 0);
}

TEST_F(ResourceTest, ATaskRunsOnItsCoresOnly) {
  cpu_set_t usable;
  ASSERT_EQ(sched_getaffinity(0, sizeof usable, &usable), 0);
  int core = 0;
  while (!CPU_ISSET(core, &usable)) ++core;
  ProcessSpec spec = Shell("grep Cpus_allowed_list /proc/self/status | cut -f2");
  spec.resources.cores = std::to_string(core);
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0) << Read("logs/web.stderr.0");
  EXPECT_EQ(Read("logs/web.stdout.0"), std::to_string(core) + "\n");
  spec = Shell("true");
  spec.resources.cores = "4000";
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_FALSE(info.ok());
  EXPECT_THAT(info.error().message(), HasSubstr("cannot write 4000 to the cgroup's cpuset.cpus"));
}

TEST_F(ResourceTest, AHardLimitHoldsOnAnIdleMachine) {
  ProcessSpec spec = Shell("while :; do :; done");
  spec.resources.cpu_time = 0.05;
  const RunId run = MustStart(std::move(spec));
  const std::string name = std::filesystem::path(cgroup_root_).filename().string();
  const std::string version1 = "/sys/fs/cgroup/cpu/" + name + "/" + run.ToString();
  const std::string cgroup =
      std::filesystem::exists(version1) ? version1 : cgroup_root_ + "/" + run.ToString();
  const auto text = [&](const std::string& file) {
    return ReadSmallFile(AT_FDCWD, (cgroup + "/" + file).c_str()).value_or("");
  };
  EXPECT_THAT(text("cpu.cfs_quota_us") + text("cpu.max"), HasSubstr("5000"));
  EXPECT_TRUE(Until([&] {
    const std::string stat = text("cpu.stat");
    const std::size_t at = stat.find("nr_throttled ");
    return at != std::string::npos && std::atoi(stat.c_str() + at + 13) > 0;
  }));
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
}

TEST_F(ResourceTest, SessionsCountToo) {
  ProcessSpec spec = Shell("exec sleep 1000");
  spec.resources = {32 << 20, 0, 512, 50};
  const RunId run = MustStart(std::move(spec));
  ExecSpec exec;
  exec.argv = {"/bin/sh", "-c", "cat /proc/self/cgroup > $DIR/cgroups"};
  for (UniqueFd* end : {&exec.standard_input, &exec.standard_output, &exec.standard_error})
    end->Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
  auto session = Await(service_->Exec(Forever(), run, std::move(exec)));
  ASSERT_TRUE(session.ok()) << session.error().message();
  const Result<ExecExit> exit = Await((*session)->Wait(Forever()));
  EXPECT_TRUE(exit.ok() && exit->exit_code == 0);
  // "ID:CONTROLLERS:PATH". For version 2, where the tracking cgroup has them all, CONTROLLERS is
  // empty.
  int entered = 0;
  std::istringstream lines(Read("cgroups"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.find(':') + 1, path = line.find(':', name);
    const std::string controllers = line.substr(name, path - name);
    if (!(std::set<std::string>{"", "memory", "cpu", "pids"}).contains(controllers)) continue;
    EXPECT_THAT(line, HasSubstr("drover-test"));
    ++entered;
  }
  EXPECT_GE(entered, 1);
  session->reset();
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
}

TEST_F(ResourceTest, AReleasedRunLeavesNoCgroup) {
  ProcessSpec spec = Shell("true");
  spec.resources = {32 << 20, 0, 512, 50};
  const RunId run = MustStart(std::move(spec));
  WaitFor(run);
  ASSERT_TRUE(Await(service_->Release(Forever(), run)).ok());
  started_.clear();
  const std::string name = std::filesystem::path(cgroup_root_).filename().string();
  for (const char* controller : {"memory", "cpu", "pids", "cpuset"})
    EXPECT_FALSE(std::filesystem::exists("/sys/fs/cgroup/" + std::string(controller) + "/" + name +
                                         "/" + run.ToString()));
}

}  // namespace
}  // namespace drover
