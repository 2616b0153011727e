// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The node reports a kill for memory as one, and no other end.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>

#include "bench/local_node.h"
#include "bench/proc_facts.h"
#include "host/base/gate.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/isolation_for_test.h"
#include "host/process/resource_cgroups.h"
#include "host/process/small_file.h"

namespace drover::load {
namespace {

using bench::LocalAlloc;

constexpr int kTasks = 100;
constexpr int kInFlight = 10;
constexpr int kLimitMb = 10;
constexpr Duration kReported = 1s;  // from the kill to the event

// The factor for time limits: larger on a machine whose instructions are emulated.
int Slack() {
  const char* const slack = std::getenv("DROVER_E2E_SLACK");
  return slack == nullptr ? 1 : std::max(1, std::atoi(slack));
}

class OomTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    const std::string root = CgroupTracker::FindMount(mounts).value_or("") + "/drover";
    if (ResourceCgroups::Open(mounts, root)->missing().find("memory") != std::string::npos)
      GTEST_SKIP() << "there is no memory controller here";
    PluginConfig exec;
    exec.name = "exec";
    exec.config_json = R"({"chroot_env": {")" + Directory() + R"(": "/load"}})";
    bench::LocalNodeOptions options;
    options.more_plugins.push_back(std::move(exec));
    node_ = std::make_unique<bench::LocalNode>(&loop_, scratch_, std::move(options));
  }

  static std::string Directory() {
    return std::filesystem::path(DROVER_LOAD_HOG).parent_path().string();
  }

  // A task with a limit of 10 MiB that uses MEGABYTES.
  static std::shared_ptr<const Job> Hog(int megabytes, bool by_a_child = false) {
    Task task = bench::MakeTask(
        "exec", R"({"command": "/load/)" + Name() + R"(", "args": ["/local/last", ")" +
                    std::to_string(megabytes) + "\"" + (by_a_child ? R"(, "child")" : "") + "]}");
    task.resources.memory_mb = kLimitMb;
    return bench::MakeJob(std::move(task));
  }
  static std::string Name() { return std::filesystem::path(DROVER_LOAD_HOG).filename().string(); }

  // Runs ONE for each task, and MORE beside them.
  void RunAll(std::function<Co<void>()> one, std::optional<Co<void>> more = {}) {
    left_ = kTasks;
    auto some = [this, one]() -> Co<void> {
      while (left_ > 0) {
        --left_;
        co_await one();
      }
    };
    std::vector<Co<void>> workers;
    for (int i = 0; i < kInFlight; ++i) workers.push_back(some());
    if (more) workers.push_back(std::move(*more));
    ASSERT_TRUE(
        loop_.RunToEnd(InParallel(&loop_, std::move(workers)), std::chrono::minutes(1) * Slack()));
    EXPECT_EQ(ended_, kTasks);
  }

  // The time at which the task of ALLOC has taken its last page.
  WallTime LastPage(const LocalAlloc& alloc) const {
    const std::string path = node_->alloc_dir() + "/" + alloc.alloc().id + "/t/local/last";
    const std::string bytes = ReadSmallFile(AT_FDCWD, path.c_str()).value_or("");
    WallTime time = 0;
    if (bytes.size() == sizeof time) std::memcpy(&time, bytes.data(), sizeof time);
    return time;
  }

  // Runs a task to its end. The report must have EXIT_CODE and OOM_KILLED.
  Co<void> RunToItsEnd(std::shared_ptr<const Job> job, std::string exit_code, bool oom_killed) {
    LocalAlloc alloc(node_.get(), std::move(job));
    alloc.Start();
    co_await alloc.runner()->WaitEnded();
    const WallTime killed = LastPage(alloc);
    const TaskEvent* end = nullptr;
    for (const TaskEvent& event : alloc.record().events)
      if (event.type == event_type::kTerminated) end = &event;
    EXPECT_NE(end, nullptr);
    if (end != nullptr) {
      EXPECT_EQ(end->Detail(event_key::kOomKilled), oom_killed ? "true" : "false");
      EXPECT_EQ(end->Detail(event_key::kExitCode), exit_code);
      EXPECT_NE(killed, 0);
      longest_ = std::max<Duration>(longest_, Duration(end->time - killed));
      ++ended_;
    }
    const Status finished = co_await alloc.Finish();
    EXPECT_TRUE(finished.ok()) << finished.error().message();
  }

  bench::Scratch scratch_;
  const int subreaper_ = prctl(PR_SET_CHILD_SUBREAPER, 1);
  RealLoop loop_;
  std::unique_ptr<bench::LocalNode> node_;
  int left_ = 0;
  int ended_ = 0;
  Duration longest_{0};
};

TEST_F(OomTest, EachKillForMemoryIsToldWithinASecond) {
  const auto job = Hog(2 * kLimitMb);
  RunAll([this, job] { return RunToItsEnd(job, "137", true); });
  EXPECT_LE(longest_, kReported * Slack());
  std::printf("at most %.1f ms from the kill to the event\n",
              std::chrono::duration<double, std::milli>(longest_).count());
}

TEST_F(OomTest, AKillFromOutsideIsNeverTakenForIt) {
  // Another process sends SIGKILL to tasks that have used most of their memory.
  const auto job = Hog(kLimitMb * 3 / 4);
  auto kill_all = [this]() -> Co<void> {
    const Context context(&loop_);
    while (ended_ < kTasks) {
      for (const bench::Descendant& process : bench::Descendants())
        if (process.name == Name() &&
            bench::ReadProcFacts(process.pid).pss_kib > kLimitMb * 1024 * 2 / 3)
          kill(process.pid, SIGKILL);
      [[maybe_unused]] const Status slept = co_await Sleep(context, 20ms);
    }
  };
  RunAll([this, job] { return RunToItsEnd(job, "137", false); }, kill_all());
}

TEST_F(OomTest, AChildsKillIsToldWithTheEndOfItsTask) {
  const auto job = Hog(2 * kLimitMb, true);
  RunAll([this, job] { return RunToItsEnd(job, "0", true); });
}

}  // namespace
}  // namespace drover::load
