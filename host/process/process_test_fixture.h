// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "host/base/await_for_test.h"
#include "host/base/loop.h"
#include "host/base/open_fds_for_test.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/failing_calls_for_test.h"
#include "host/process/process_service.h"
#include "host/process/small_file.h"
#include "host/process/tracked_runs_for_test.h"

namespace drover {

// Runs real shims in a run directory and a cgroup root of the test's own. At the end of the test
// nothing of them may be left: no process, cgroup, file or descriptor.
class ProcessFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(FailMountCallsIfAsked(), 0);
    const char* const base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    std::string pattern = std::string(base) + "/drover-process-test-XXXXXX";
    ASSERT_TRUE(mkdtemp(pattern.data()));
    directory_ = pattern;
    if (chmod(directory_.c_str(), 0755) != 0) FAIL() << "chmod";
    mkdir((directory_ + "/logs").c_str(), 0755);
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    const std::optional<std::string> mount = WantsFreezer()
                                                 ? CgroupTracker::FindVersion1(mounts, "freezer")
                                                 : CgroupTracker::FindMount(mounts);
    if (mount && geteuid() == 0 && WantsCgroups())
      cgroup_root_ = *mount + "/drover-test-" + std::to_string(getpid());
    loop_ = std::make_unique<RealLoop>();
    fds_before_ = OpenFds();
    Restart();
  }

  void TearDown() override {
    if (service_) {
      for (const RunId& run : started_) {
        const Status released = Await(service_->Release(Forever(), run));
        EXPECT_TRUE(released.ok()) << released.error().message();
      }
      EXPECT_EQ(TrackedRuns().size(), 0u);
    }
    service_.reset();
    Settle();
    EXPECT_EQ(OpenFds(), fds_before_) << "descriptors leaked";
    for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/run"))
      ADD_FAILURE() << "left in the run directory: " << entry.path();
    if (!cgroup_root_.empty()) EXPECT_EQ(rmdir(cgroup_root_.c_str()), 0) << "cgroups are left";
    ExpectNoneOfVersion1();
    loop_.reset();
    Unmount();
    std::filesystem::remove_all(directory_);
  }

  // Expects that no run has left a cgroup below the service's cgroups in the version 1 hierarchies.
  void ExpectNoneOfVersion1() const {
    if (cgroup_root_.empty()) return;
    const std::string name = std::filesystem::path(cgroup_root_).filename().string();
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    for (const char* controller : {"memory", "cpu", "cpuacct", "pids", "cpuset", "freezer"})
      if (const auto mount = CgroupTracker::FindVersion1(mounts, controller))
        EXPECT_TRUE(rmdir((*mount + "/" + name).c_str()) == 0 || errno == ENOENT)
            << "cgroups are left in " << *mount << "/" << name;
  }

  // Undoes the mounts that a test made below its directory.
  virtual void Unmount() {}

  virtual bool WantsCgroups() const { return true; }
  // Tracks by the freezer of version 1, as on a machine without a version 2 hierarchy.
  virtual bool WantsFreezer() const { return std::getenv("DROVER_TEST_FREEZER") != nullptr; }
  bool has_cgroups() const { return !cgroup_root_.empty(); }
  std::vector<RunId> TrackedRuns() const {
    return drover::TrackedRuns(cgroup_root_, directory_ + "/run");
  }

  // Drops the service, as the end of an agent would, and makes a new one.
  void Restart() {
    service_.reset();
    Settle();
    ProcessServiceOptions options;
    options.run_dir = directory_ + "/run";
    options.cgroup_root = cgroup_root_.empty() ? "none" : cgroup_root_;
    options.open_files = open_files_;
    options.core_bytes = core_bytes_;
    options.change_start = [this](StartMessage* message) {
      if (change_start_) change_start_(message);
    };
    Result<std::unique_ptr<ProcessService>> service = NewProcessService(loop_.get(), options);
    ASSERT_TRUE(service.ok()) << service.error().message();
    service_ = std::move(*service);
  }

  // Runs the functions that were posted to the loop.
  void Settle() {
    auto nothing = []() -> Co<void> { co_return; };
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(loop_->RunToEnd(nothing()));
  }

  template <typename T>
  T Await(Co<T> coroutine, Duration limit = 30s) {
    return AwaitForTest(loop_.get(), std::move(coroutine), limit);
  }

  // Runs the loop until DONE() or LIMIT.
  bool Until(const std::function<bool()>& done, Duration limit = 10s) {
    const TimePoint end = BootClock::now() + limit;
    while (!done()) {
      if (BootClock::now() > end) return false;
      Pause(2ms);
    }
    return true;
  }
  void Pause(Duration duration) {
    const Status slept = Await(Sleep(Forever(), duration));
    DROVER_CHECK(slept.ok());
  }

  Context Forever() { return Context(loop_.get()); }

  ProcessSpec Shell(const std::string& script) {
    ProcessSpec spec;
    spec.run = RunId::Random();
    spec.argv = {"/bin/sh", "-c", script};
    spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"DIR", directory_}};
    spec.logs.directory = LogDirectory();
    spec.logs.task = "web";
    return spec;
  }
  UniqueFd LogDirectory() {
    return UniqueFd(open((directory_ + "/logs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  Result<ProcessInfo> Start(ProcessSpec spec) {
    const RunId run = spec.run;
    Result<ProcessInfo> info = Await(service_->Start(Forever(), std::move(spec)));
    if (info.ok()) started_.push_back(run);
    return info;
  }
  RunId MustStart(ProcessSpec spec) {
    const RunId run = spec.run;
    const Result<ProcessInfo> info = Start(std::move(spec));
    EXPECT_TRUE(info.ok()) << info.error().message();
    return run;
  }
  ProcessExit WaitFor(RunId run) {
    Result<ProcessExit> exit = Await(service_->Wait(Forever(), run));
    EXPECT_TRUE(exit.ok()) << exit.error().message();
    return exit.ok() ? *exit : ProcessExit();
  }
  ProcessExit RunShell(const std::string& script) { return WaitFor(MustStart(Shell(script))); }

  std::string Read(const std::string& name) const {
    std::ifstream file(directory_ + "/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  // The process id that the task has written into a file; waits for it.
  pid_t PidIn(const std::string& name) {
    EXPECT_TRUE(Until([&] { return Read(name).find('\n') != std::string::npos; })) << name;
    return std::atoi(Read(name).c_str());
  }
  // True if the process runs. A zombie that its new parent has not reaped does not.
  static bool Alive(pid_t pid) {
    const std::string path = "/proc/" + std::to_string(pid) + "/stat";
    const std::string stat = ReadSmallFile(AT_FDCWD, path.c_str()).value_or("");
    const std::size_t end = stat.rfind(')');
    return end != std::string::npos && stat[end + 2] != 'Z' && stat[end + 2] != 'X';
  }

  std::string directory_;
  std::string cgroup_root_;
  std::unique_ptr<RealLoop> loop_;
  std::unique_ptr<ProcessService> service_;
  std::vector<RunId> started_;
  long fds_before_ = 0;
  std::uint64_t open_files_ = 0;             // for Restart()
  std::optional<std::uint64_t> core_bytes_;  // for Restart()
  std::function<void(StartMessage*)> change_start_;
};

}  // namespace drover
