// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/given_cgroups.h"

#include <gmock/gmock.h>

#include <map>

#include "host/base/directory_for_test.h"
#include "host/process/process_test_fixture.h"

namespace drover {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Given = std::vector<std::pair<std::string, std::string>>;

// A tree of directories that stand for cgroup hierarchies.
class GivenCgroupsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* path : {"two/apps/web", "cpu,cpuacct/apps", "pids/apps", "freezer/apps"})
      std::filesystem::create_directories(root_.path() + "/" + path);
    std::filesystem::create_directory_symlink("cpu,cpuacct", root_.path() + "/cpu");
    std::filesystem::create_directory_symlink("/", root_.path() + "/two/link");
  }

  std::string Mounts() const {
    return "cgroup2 " + root_.path() + "/two cgroup2 rw 0 0\n" +  //
           "cgroup " + root_.path() + "/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n" +
           "cgroup " + root_.path() + "/pids cgroup rw,pids 0 0\n" +  //
           "cgroup " + root_.path() + "/freezer cgroup rw,freezer 0 0\n";
  }
  std::string ErrorOf(const std::string& path) const {
    const auto opened = OpenGivenCgroup(Mounts(), path);
    return opened.ok() ? "" : opened.error().message();
  }
  std::string ErrorOf(const Given& given, bool freezer_is_taken = false) const {
    const auto opened = OpenGivenCgroups(Mounts(), given, freezer_is_taken);
    return opened.ok() ? "" : opened.error().message();
  }
  static std::string PathOf(const UniqueFd& fd) {
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd.get()));
  }

  const DirectoryForTest root_;
};

TEST_F(GivenCgroupsTest, PathsAreRelativeToTheMountOrBeginWithIt) {
  for (const std::string& path :
       {std::string("apps/web"), root_.path() + "/two/apps/web", root_.path() + "/two//apps/./web/",
        std::string("apps/../apps/web")}) {
    const auto opened = OpenGivenCgroup(Mounts(), path);
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    EXPECT_EQ(PathOf(*opened), root_.path() + "/two/apps/web");
  }
  const auto top = OpenGivenCgroup(Mounts(), root_.path() + "/two");
  ASSERT_TRUE(top.ok()) << top.error().message();
  EXPECT_EQ(PathOf(*top), root_.path() + "/two");
}

TEST_F(GivenCgroupsTest, NoneLeadsOutOfItsHierarchy) {
  EXPECT_EQ(ErrorOf("../pids/apps"),
            "the version 2 cgroup ../pids/apps leads out of " + root_.path() + "/two");
  EXPECT_THAT(ErrorOf("link/etc"), EndsWith("Too many levels of symbolic links"));
  const std::string elsewhere = "the path of the version 2 cgroup /etc must be relative to " +
                                root_.path() + "/two, or begin with it";
  EXPECT_EQ(ErrorOf("/etc"), elsewhere);
  EXPECT_THAT(ErrorOf(root_.path() + "/two-more"), HasSubstr("must be relative to"));
  EXPECT_THAT(ErrorOf(std::string("a\0b", 3)), HasSubstr("must be relative to"));
}

TEST_F(GivenCgroupsTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(ErrorOf("none"), "cannot open the version 2 cgroup none: No such file or directory");
  EXPECT_EQ(ErrorOf(Given{{"pids", "none"}}),
            "cannot open the cgroup none of the controller pids: No such file or directory");
  EXPECT_EQ(ErrorOf(Given{{"memory", "apps"}}),
            "the cgroup apps of the controller memory cannot be entered: no version 1 hierarchy of "
            "that controller is mounted on this machine");
  EXPECT_EQ(ErrorOf(Given{{"rw", "apps"}}), "\"rw\" is no controller of version 1 cgroups");
  EXPECT_THAT(OpenGivenCgroup("tmpfs /sys/fs/cgroup tmpfs rw 0 0\n", "apps").error().message(),
              HasSubstr("cannot be used: no version 2 hierarchy is mounted"));
}

TEST_F(GivenCgroupsTest, ControllersOfOneHierarchyHaveOneCgroup) {
  const auto opened = OpenGivenCgroups(
      Mounts(), {{"cpu", "apps"}, {"cpuacct", "apps"}, {"pids", root_.path() + "/pids/apps"}},
      false);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  ASSERT_EQ(opened->size(), 2u);
  EXPECT_EQ((*opened)[0].name, "apps of the controller cpu");
  EXPECT_EQ(PathOf((*opened)[1].directory), root_.path() + "/pids/apps");
  EXPECT_EQ(
      ErrorOf(Given{{"cpu", "apps"}, {"cpuacct", "."}}),
      "the controllers cpu and cpuacct are one hierarchy on this machine: name the same cgroup "
      "for both");
  // Through the link with the controller's own name.
  EXPECT_EQ(ErrorOf(Given{{"cpu", root_.path() + "/cpu/apps"}}), "");
}

TEST_F(GivenCgroupsTest, TheFreezerIsOursWhereItTracksTasks) {
  EXPECT_EQ(ErrorOf(Given{{"freezer", "apps"}}), "");
  EXPECT_THAT(ErrorOf(Given{{"freezer", "apps"}}, true),
              HasSubstr("tasks are tracked and killed by the freezer"));
}

// Runs in the kernel's cgroups, as far as this machine has them.
class GivenRunTest : public ProcessFixture {
 protected:
  void SetUp() override {
    ProcessFixture::SetUp();
    if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  }
  void TearDown() override {
    for (const RunId& run : started_) EXPECT_TRUE(Await(service_->Release(Forever(), run)).ok());
    started_.clear();
    for (const std::string& path : made_) EXPECT_EQ(rmdir(path.c_str()), 0) << path;
    ProcessFixture::TearDown();
  }

  const std::string name_ = "drover-given-" + std::to_string(getpid());
  // Makes the cgroup below MOUNT. Empty: there is no such hierarchy.
  std::string Make(const std::string& mount) {
    const std::string path = mount + "/" + name_;
    if (mount.empty() || mkdir(path.c_str(), 0755) != 0) return "";
    made_.push_back(path);
    return path;
  }
  std::string MakeUnified() {
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    return Make(CgroupTracker::FindMount(mounts).value_or(""));
  }
  std::string MakeVersion1(const std::string& controller) {
    const std::string mount = "/sys/fs/cgroup/" + controller;
    return access((mount + "/tasks").c_str(), W_OK) == 0 ? Make(mount) : "";
  }
  // A process's cgroup for CONTROLLER, such as "pids" or "" (version 2), from FILE, a copy of its
  // /proc/PID/cgroup.
  std::string CgroupOf(const std::string& file, const std::string& controller) {
    std::istringstream lines(Read(file));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = line.find(':'), second = line.find(':', first + 1);
      if (line.substr(first + 1, second - first - 1) == controller) return line.substr(second + 1);
    }
    return "none";
  }
  std::string StartError(ProcessSpec spec) {
    const Result<ProcessInfo> info = Start(std::move(spec));
    return info.ok() ? "" : info.error().message();
  }
  bool IsFreezer() const { return WantsFreezer(); }

  std::vector<std::string> made_;
};

TEST_F(GivenRunTest, ARunIsTrackedBelowTheGivenCgroup) {
  const std::string given = MakeUnified();
  if (given.empty() || IsFreezer()) GTEST_SKIP() << "it needs tracking by version 2 cgroups";
  ProcessSpec spec = Shell(
      "cat /proc/self/cgroup > $DIR/own; (setsid sleep 1000 & echo $! > $DIR/other); sleep 1000");
  spec.cgroup = name_;
  const RunId run = MustStart(std::move(spec));
  const pid_t other = PidIn("other");
  EXPECT_EQ(CgroupOf("own", ""), "/" + name_ + "/" + run.ToString());
  EXPECT_FALSE(std::filesystem::exists(cgroup_root_ + "/" + run.ToString()));
  EXPECT_EQ(TrackedRuns(), std::vector<RunId>{run});
  const auto usage = Await(service_->Usage(Forever(), run, UsageDetail::kProcesses));
  ASSERT_TRUE(usage.ok());
  EXPECT_GE(usage->processes.size(), 2u);
  ASSERT_TRUE(service_->Kill(run).ok());
  EXPECT_EQ(WaitFor(run).signal, SIGKILL);
  EXPECT_TRUE(Until([&] { return !Alive(other); }));
  ASSERT_TRUE(Await(service_->Release(Forever(), run)).ok());
  EXPECT_FALSE(std::filesystem::exists(given + "/" + run.ToString()));
  EXPECT_TRUE(std::filesystem::exists(given)) << "it is the operator's";
}

TEST_F(GivenRunTest, AnExecSessionOfTheRunIsThereToo) {
  if (MakeUnified().empty() || IsFreezer()) GTEST_SKIP() << "it needs version 2 cgroups";
  ProcessSpec spec = Shell("sleep 1000");
  spec.cgroup = name_;
  const RunId run = MustStart(std::move(spec));
  ExecSpec command;
  command.tty = true;
  command.argv = {"/bin/sh", "-c", "cat /proc/self/cgroup > " + directory_ + "/session"};
  auto session = Await(service_->Exec(Forever(), run, std::move(command)));
  ASSERT_TRUE(session.ok()) << session.error().message();
  EXPECT_EQ(Await((*session)->Wait(Forever()))->exit_code, 0);
  EXPECT_EQ(CgroupOf("session", ""), "/" + name_ + "/" + run.ToString());
}

// The agent before was killed: the next agent finds the run by the note.
TEST_F(GivenRunTest, TheNextAgentFindsAndClearsIt) {
  const std::string given = MakeUnified();
  if (given.empty() || IsFreezer()) GTEST_SKIP() << "it needs tracking by version 2 cgroups";
  ProcessSpec spec = Shell("(setsid sleep 1000 & echo $! > $DIR/other); sleep 1000");
  spec.cgroup = given;
  const RunId run = MustStart(std::move(spec));
  const pid_t other = PidIn("other");
  Restart();
  EXPECT_EQ(TrackedRuns(), std::vector<RunId>{run});
  ASSERT_TRUE(Await(service_->Release(Forever(), run)).ok());
  EXPECT_TRUE(Until([&] { return !Alive(other); }));
  EXPECT_FALSE(std::filesystem::exists(given + "/" + run.ToString()));
  EXPECT_TRUE(TrackedRuns().empty());
}

TEST_F(GivenRunTest, AndAlsoWhenItsShimWasKilled) {
  const std::string given = MakeUnified();
  if (given.empty() || IsFreezer()) GTEST_SKIP() << "it needs tracking by version 2 cgroups";
  ProcessSpec spec = Shell("(setsid sleep 1000 & echo $! > $DIR/other); sleep 1000");
  spec.cgroup = name_;
  const RunId run = spec.run;
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_TRUE(info.ok()) << info.error().message();
  const pid_t other = PidIn("other");
  service_.reset();
  Settle();
  ASSERT_EQ(kill(info->shim_pid, SIGKILL), 0);
  ASSERT_TRUE(Until([&] { return !Alive(info->shim_pid); }));
  ASSERT_TRUE(Alive(other));
  Restart();
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  const auto* exit = std::get_if<ProcessExit>(&*attached);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->error, "supervisor lost");
  EXPECT_FALSE(Alive(other));
}

// The agent died between the note and the cgroup, or before there was a shim.
TEST_F(GivenRunTest, ANoteWithoutARunIsForgotten) {
  const RunId run = RunId::Random();
  const std::string note = directory_ + "/run/" + run.Short() + ".cgroup";
  ASSERT_EQ(symlink((cgroup_root_ + "/gone/" + run.ToString()).c_str(), note.c_str()), 0);
  EXPECT_EQ(Await(service_->Attach(Forever(), run)).code(), Code::kNotFound);
  EXPECT_TRUE(TrackedRuns().empty());
}

// A foreground run outlives its agent only until its shim notices; the shim then removes everything
// itself.
TEST_F(GivenRunTest, ABoundRunLeavesNothingWhenItsAgentHasGone) {
  const std::string given = MakeUnified();
  if (given.empty() || IsFreezer()) GTEST_SKIP() << "it needs tracking by version 2 cgroups";
  ProcessSpec spec = Shell("echo > $DIR/ready; sleep 1000");
  spec.cgroup = name_;
  spec.bound = BoundSpec{SIGTERM, 1s};
  const RunId run = MustStart(std::move(spec));
  ASSERT_TRUE(Until([&] { return !Read("ready").empty(); }));
  started_.clear();
  service_.reset();
  Settle();
  const std::string note = directory_ + "/run/" + run.Short() + ".cgroup";
  EXPECT_TRUE(Until([&] {
    return !std::filesystem::exists(given + "/" + run.ToString()) &&
           !std::filesystem::is_symlink(note);
  }));
}

TEST_F(GivenRunTest, CgroupsOfVersion1AreEnteredAndStay) {
  const std::string pids = MakeVersion1("pids"), memory = MakeVersion1("memory");
  if (pids.empty() || memory.empty())
    GTEST_SKIP() << "it needs the version 1 controllers pids and memory";
  std::ofstream(pids + "/pids.max") << "7";
  ProcessSpec spec = Shell("cat /proc/self/cgroup > $DIR/own; sleep 1000 & sleep 1000");
  spec.v1_cgroups = {{"pids", name_}, {"memory", memory}};
  const RunId run = MustStart(std::move(spec));
  ASSERT_TRUE(Until([&] { return CgroupOf("own", "memory") != "none"; }));
  EXPECT_EQ(CgroupOf("own", "pids"), "/" + name_);
  EXPECT_EQ(CgroupOf("own", "memory"), "/" + name_);
  ExecSpec command;
  command.tty = true;
  command.argv = {"/bin/sh", "-c", "cat /proc/self/cgroup > " + directory_ + "/session"};
  auto session = Await(service_->Exec(Forever(), run, std::move(command)));
  ASSERT_TRUE(session.ok()) << session.error().message();
  EXPECT_EQ(Await((*session)->Wait(Forever()))->exit_code, 0);
  EXPECT_EQ(CgroupOf("session", "pids"), "/" + name_);
  // Drover still tracks the run in its own cgroup.
  EXPECT_TRUE(std::filesystem::exists(cgroup_root_ + "/" + run.ToString()));
  ASSERT_TRUE(Await(service_->Release(Forever(), run)).ok());
  EXPECT_TRUE(std::filesystem::exists(pids) && std::filesystem::exists(memory));
  EXPECT_TRUE(Until([&] {
    return ReadSmallFile(AT_FDCWD, (pids + "/cgroup.procs").c_str()).value_or("x").empty();
  }));
}

// The given cgroup also counts other processes, so the run's own processes are read instead.
TEST_F(GivenRunTest, InACpuacctOfVersion1ItsTimeIsThatOfItsProcesses) {
  const std::string cpuacct = MakeVersion1("cpuacct");
  if (cpuacct.empty() || !IsFreezer()) GTEST_SKIP() << "it needs cpuacct and the freezer";
  ProcessSpec spec = Shell("cat /proc/self/cgroup > $DIR/own; while :; do :; done");
  spec.v1_cgroups = {{"cpuacct", name_}};
  const RunId run = MustStart(std::move(spec));
  EXPECT_TRUE(Until([&] {
    const auto usage = Await(service_->Usage(Forever(), run, UsageDetail::kTotals));
    return usage.ok() && usage->user_time + usage->system_time > 20ms;
  }));
  EXPECT_THAT(Read("own"), HasSubstr(":/" + name_ + "\n"));
  const std::string root = std::filesystem::path(cgroup_root_).filename().string();
  EXPECT_FALSE(std::filesystem::exists("/sys/fs/cgroup/cpuacct/" + root + "/" + run.ToString()));
}

TEST_F(GivenRunTest, WhatCannotBeEnteredIsAStartError) {
  ProcessSpec missing = Shell("true");
  missing.v1_cgroups = {{"pids", "no-such-cgroup"}};
  const std::string said = StartError(std::move(missing));
  EXPECT_THAT(said, HasSubstr("cgroup no-such-cgroup of the controller pids")) << said;
  ProcessSpec both = Shell("true");
  both.cgroup = "x";
  both.resources.memory = 64 << 20;
  EXPECT_THAT(StartError(std::move(both)),
              HasSubstr("limits of its own or those of given cgroups"));
  const std::string cpuset = MakeVersion1("cpuset");
  if (cpuset.empty()) GTEST_SKIP() << "it needs the version 1 controller cpuset";
  // Nothing can enter a cpuset without cores and memory nodes.
  ProcessSpec spec = Shell("true");
  spec.v1_cgroups = {{"cpuset", name_}};
  EXPECT_THAT(StartError(std::move(spec)),
              StartsWith("cannot enter the cgroup " + name_ + " of the controller cpuset: "));
  EXPECT_TRUE(TrackedRuns().empty());
}

TEST_F(GivenRunTest, TheCgroupsOfOtherTasksAreNotGiven) {
  if (IsFreezer()) {
    ProcessSpec spec = Shell("true");
    spec.cgroup = "x";
    EXPECT_THAT(StartError(std::move(spec)), HasSubstr("not tracked by version 2 cgroups"));
    return;
  }
  const RunId other = MustStart(Shell("sleep 1000"));
  ProcessSpec spec = Shell("true");
  spec.cgroup = cgroup_root_ + "/" + other.ToString();
  EXPECT_THAT(StartError(std::move(spec)), HasSubstr("drover tracks tasks in the cgroup"));
  ProcessSpec missing = Shell("true");
  missing.cgroup = "no-such-cgroup";
  EXPECT_EQ(StartError(std::move(missing)),
            "cannot open the version 2 cgroup no-such-cgroup: No such file or directory");
  EXPECT_EQ(TrackedRuns(), std::vector<RunId>{other});
}

}  // namespace
}  // namespace drover
