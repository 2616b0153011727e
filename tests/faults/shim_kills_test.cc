// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Shims are killed, many times and at any moment: nothing that their tasks have started survives
// for longer than a second in which there is an agent, and the end is told as what it is.
#include <gmock/gmock.h>

#include <random>

#include "host/process/process_test_fixture.h"

namespace drover {
namespace {

constexpr int kKills = 100;
constexpr int kAtOnce = 10;

class ShimKillsTest : public ProcessFixture {
 protected:
  struct Victim {
    RunId run;
    pid_t shim = 0;
    std::string cgroup;
  };

  void SetUp() override {
    ProcessFixture::SetUp();
    if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  }

  // A task with a daemon, forked twice, in a session of its own, without the task's output; some
  // have not got so far yet when their shim dies.
  Victim StartVictim() {
    ProcessSpec spec = Shell(
        "trap '' TERM HUP; setsid sh -c 'trap \"\" TERM HUP; sh -c \"exec sleep 1000\" "
        "</dev/null >/dev/null 2>&1 & sleep 1000' & while :; do echo line; sleep 0.01; done");
    Victim victim{.run = spec.run, .cgroup = cgroup_root_ + "/" + spec.run.ToString()};
    const Result<ProcessInfo> info = Start(std::move(spec));
    DROVER_CHECK(info.ok());
    victim.shim = info->shim_pid;
    return victim;
  }
  std::vector<Victim> StartVictims() {
    std::vector<Victim> victims;
    for (int i = 0; i < kAtOnce; ++i) {
      victims.push_back(StartVictim());
      Pause(std::chrono::microseconds(pause_(random_)));
    }
    return victims;
  }
  static bool IsEmpty(const Victim& victim) {
    return ReadSmallFile(AT_FDCWD, (victim.cgroup + "/cgroup.procs").c_str()).value_or("").empty();
  }
  void Release(const std::vector<Victim>& victims) {
    for (const Victim& victim : victims)
      EXPECT_TRUE(Await(service_->Release(Forever(), victim.run)).ok());
    started_.clear();
  }

  std::mt19937 random_{1};
  std::uniform_int_distribution<int> pause_{0, 20'000};
};

TEST_F(ShimKillsTest, NoTaskOutlivesItsShim) {
  for (int killed = 0; killed < kKills; killed += kAtOnce) {
    for (const Victim& victim : StartVictims()) {
      const TimePoint start = BootClock::now();
      ASSERT_EQ(kill(victim.shim, SIGKILL), 0);
      const ProcessExit exit = WaitFor(victim.run);
      EXPECT_LE(BootClock::now() - start, 1s);
      EXPECT_TRUE(IsEmpty(victim));
      EXPECT_EQ(exit.error, "supervisor lost");
      EXPECT_FALSE(exit.oom_killed);
      Release({victim});
    }
  }
}

TEST_F(ShimKillsTest, NoTaskOfAShimThatDiedWithItsAgentOutlivesTheNextAgentsStart) {
  for (int killed = 0; killed < kKills; killed += kAtOnce) {
    const std::vector<Victim> victims = StartVictims();
    service_.reset();
    for (const Victim& victim : victims) ASSERT_EQ(kill(victim.shim, SIGKILL), 0);
    const TimePoint start = BootClock::now();
    Restart();
    EXPECT_EQ(service_->TrackedRuns().size(), victims.size());
    for (const Victim& victim : victims) {
      const auto attached = Await(service_->Attach(Forever(), victim.run));
      ASSERT_TRUE(attached.ok()) << attached.error().message();
      const auto* exit = std::get_if<ProcessExit>(&*attached);
      ASSERT_TRUE(exit) << "a task without its shim was adopted";
      EXPECT_EQ(exit->error, "supervisor lost");
      EXPECT_TRUE(IsEmpty(victim));
    }
    EXPECT_LE(BootClock::now() - start, 1s);
    Release(victims);
  }
}

}  // namespace
}  // namespace drover
