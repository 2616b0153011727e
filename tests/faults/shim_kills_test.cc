// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Kills shims, many times and at any moment. No process of their tasks survives for longer than a
// second in which there is an agent, and the agent reports the true end. Every other task has
// namespaces, and so one more process that must not stay.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <algorithm>
#include <random>

#include "host/base/seed_for_test.h"
#include "host/process/isolation_for_test.h"
#include "host/process/process_test_fixture.h"
#include "host/process/process_usage.h"
#include "host/process/task_root.h"

namespace drover {
namespace {

constexpr int kAtOnce = 10;

// The parameter is the number of kills.
class ShimKillsTest : public ProcessFixture, public testing::WithParamInterface<int> {
 protected:
  struct Victim {
    RunId run;
    pid_t shim = 0;
    std::vector<pid_t> processes{};  // the processes below the shim when it was killed
  };

  void SetUp() override {
    isolates_ = ReasonNotToIsolate() == nullptr;
    if (isolates_) {
      // Hides mounts that others make meanwhile.
      ASSERT_EQ(unshare(CLONE_NEWNS), 0);
      ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    }
    ProcessFixture::SetUp();
    if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
    for (const char* path : {"alloc", "task", "task/local", "task/secrets"}) {
      mkdir((directory_ + "/" + path).c_str(), 0777);
      ASSERT_EQ(chmod((directory_ + "/" + path).c_str(), 0777), 0);
    }
    std::printf("seed %llu\n", static_cast<unsigned long long>(FirstSeed()));
  }
  void TearDown() override {
    std::printf("%d killed, %d of them isolated, at most %lld ms until all was gone\n", killed_,
                isolated_, static_cast<long long>(longest_ / 1ms));
    ProcessFixture::TearDown();
  }

  // A task with a daemon: forked twice, in a session of its own, without the task's output. Some
  // tasks have no daemon yet when their shim dies.
  ProcessSpec SpecOf(int number) {
    ProcessSpec spec = Shell(
        "trap '' TERM HUP; setsid sh -c 'trap \"\" TERM HUP; sh -c \"exec sleep 1000\" "
        "</dev/null >/dev/null 2>&1 & sleep 1000' & while :; do echo line; sleep 0.01; done");
    if (!isolates_ || number % 2 == 0) return spec;
    spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    TaskRootOptions options;
    options.alloc_dir = directory_ + "/alloc";
    options.log_dir = directory_ + "/logs";
    options.task_dir = directory_ + "/task";
    spec.namespaces.emplace();
    Result<RootSpec> root = OpenTaskRoot(options);
    DROVER_CHECK(root.ok());
    spec.namespaces->root = std::move(*root);
    spec.privileges.emplace();
    spec.user = ProcessUser{65534, 65534, {}};
    return spec;
  }
  Duration SomePause() { return std::chrono::microseconds(pause_(random_)); }

  std::vector<Victim> StartVictims() {
    std::vector<Victim> victims;
    for (int i = 0; i < kAtOnce; ++i) {
      ProcessSpec spec = SpecOf(i);
      const RunId run = spec.run;
      const Result<ProcessInfo> info = Start(std::move(spec));
      DROVER_CHECK(info.ok());
      victims.push_back({.run = run, .shim = info->shim_pid});
      Pause(SomePause());
    }
    if (isolates_) isolated_ += kAtOnce / 2;
    return victims;
  }

  void KillShim(Victim* victim) {
    ASSERT_EQ(kill(victim->shim, SIGSTOP), 0);  // otherwise it may start more between the two
    victim->processes = DescendantsOf(victim->shim);
    ASSERT_EQ(kill(victim->shim, SIGKILL), 0);
    ++killed_;
  }
  // A process without memory has ended. The first one of a pid namespace then waits until the
  // others are collected, which the machine's first process does at some time.
  static bool Runs(pid_t pid) {
    const std::string path = "/proc/" + std::to_string(pid) + "/statm";
    return Alive(pid) && !ReadSmallFile(AT_FDCWD, path.c_str()).value_or("0 ").starts_with("0 ");
  }
  void ExpectGone(const Victim& victim, TimePoint since) {
    const std::string members = cgroup_root_ + "/" + victim.run.ToString() + "/cgroup.procs";
    EXPECT_EQ(ReadSmallFile(AT_FDCWD, members.c_str()).value_or(""), "");
    EXPECT_TRUE(Until([&] { return std::ranges::none_of(victim.processes, Runs); }));
    longest_ = std::max(longest_, BootClock::now() - since);
  }
  void Release(RunId run) { EXPECT_TRUE(Await(service_->Release(Forever(), run)).ok()); }

  // Runs another agent, which starts victims and reports each on PIPE, before and after its start.
  [[noreturn]] void BeAgent(int pipe) {
    // Does not touch the parent's loop.
    RealLoop loop;
    ProcessServiceOptions options;
    options.run_dir = directory_ + "/run";
    options.cgroup_root = cgroup_root_;
    auto service = NewProcessService(&loop, options);
    if (!service.ok()) _exit(1);
    const auto start = [](ProcessService* in, Context context, ProcessSpec spec,
                          pid_t* shim) -> Co<void> {
      const auto info = co_await in->Start(context, std::move(spec));
      if (info.ok()) *shim = info->shim_pid;
    };
    for (int i = 0;; ++i) {
      ProcessSpec spec = SpecOf(i);
      Victim victim{.run = spec.run};
      for (const bool started : {false, true}) {
        if (started)
          loop.RunToEnd(start(service->get(), Context(&loop), std::move(spec), &victim.shim));
        if (write(pipe, victim.run.bytes.data(), sizeof victim.run.bytes) < 0) _exit(1);
        if (write(pipe, &victim.shim, sizeof victim.shim) < 0) _exit(1);
      }
      if (i >= kAtOnce) pause();
    }
  }
  // Kills an agent and the shims of its victims in any order, and returns the victims: first those
  // that have certainly run.
  std::vector<Victim> KillAgentAndShims() {
    int ends[2];
    DROVER_CHECK(pipe2(ends, O_CLOEXEC) == 0);
    const UniqueFd from(ends[0]);
    UniqueFd to(ends[1]);
    const pid_t agent = fork();
    if (agent == 0) BeAgent(to.get());
    to.Reset();
    std::vector<Victim> victims;
    const auto read_one = [&] {
      Victim victim;
      if (read(from.get(), victim.run.bytes.data(), sizeof victim.run.bytes) <= 0) return false;
      DROVER_CHECK(read(from.get(), &victim.shim, sizeof victim.shim) == sizeof victim.shim);
      if (victim.shim != 0) {
        victims.back() = victim;
      } else {
        victims.push_back(victim);
      }
      return true;
    };
    while (victims.size() < kAtOnce && read_one()) {
    }
    Pause(SomePause());  // it starts another, or is about to
    std::vector<pid_t> order{agent};
    for (const Victim& victim : victims)
      if (victim.shim != 0) order.push_back(victim.shim);
    std::ranges::shuffle(order, random_);
    for (const pid_t pid : order) {
      const auto victim = std::ranges::find(victims, pid, &Victim::shim);
      if (victim != victims.end()) {
        KillShim(&*victim);
      } else {
        kill(agent, SIGKILL);
      }
    }
    waitpid(agent, nullptr, 0);
    while (read_one()) {  // its last report
    }
    std::ranges::partition(victims, [](const Victim& v) { return !v.processes.empty(); });
    if (isolates_) isolated_ += static_cast<int>(victims.size()) / 2;
    return victims;
  }

  bool isolates_ = false;
  int killed_ = 0;
  int isolated_ = 0;
  Duration longest_{};
  std::mt19937_64 random_{FirstSeed()};
  std::uniform_int_distribution<int> pause_{0, 20'000};
};

TEST_P(ShimKillsTest, NoTaskOutlivesItsShim) {
  SCOPED_TRACE(HowToRepeat(FirstSeed()));
  while (killed_ < GetParam()) {
    for (Victim& victim : StartVictims()) {
      const TimePoint since = BootClock::now();
      KillShim(&victim);
      const ProcessExit exit = WaitFor(victim.run);
      EXPECT_EQ(exit.error, "supervisor lost");
      EXPECT_FALSE(exit.oom_killed);
      ExpectGone(victim, since);
      Release(victim.run);
    }
    started_.clear();
    if (HasFailure()) return;
  }
}

TEST_P(ShimKillsTest, NoTaskOfAShimThatDiedWithItsAgentOutlivesTheNextAgentsStart) {
  SCOPED_TRACE(HowToRepeat(FirstSeed()));
  while (killed_ < GetParam()) {
    std::vector<Victim> victims = KillAgentAndShims();
    const TimePoint since = BootClock::now();
    Restart();
    for (Victim& victim : victims) {
      const auto attached = Await(service_->Attach(Forever(), victim.run));
      if (victim.processes.empty()) {
        // The agent died during the start of this victim, or before its report. It must go
        // completely in either case.
        const bool lives = attached.ok() && std::holds_alternative<ProcessInfo>(*attached);
        EXPECT_TRUE(lives || attached.code() == Code::kNotFound);
      } else {
        ASSERT_TRUE(attached.ok()) << attached.error().message();
        const auto* exit = std::get_if<ProcessExit>(&*attached);
        ASSERT_TRUE(exit) << "a task without its shim was adopted";
        EXPECT_EQ(exit->error, "supervisor lost");
        ExpectGone(victim, since);
      }
      Release(victim.run);
    }
    EXPECT_TRUE(TrackedRuns().empty());
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Short, ShimKillsTest, testing::Values(100));
INSTANTIATE_TEST_SUITE_P(Long, ShimKillsTest, testing::Values(1000));

}  // namespace
}  // namespace drover
