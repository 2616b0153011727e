// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The host is stopped and continued. It blames no driver for the time in which no process has run.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "host/base/gate.h"
#include "tests/load/census.h"

namespace drover::load {
namespace {

using bench::LocalAlloc;

// The limit of each of a driver's calls. The process stands still for longer.
constexpr Duration kLimit = 1600ms;
constexpr int kStillSeconds = 3;

bench::LocalNodeOptions ShortLimits() {
  PluginConfig stuck;
  stuck.name = "stuck";
  stuck.file = DROVER_LOAD_STUCK;
  bench::LocalNodeOptions options;
  options.more_plugins.push_back(stuck);
  options.limits.hold = options.limits.start = options.limits.signal = kLimit;
  options.limits.destroy = options.limits.fingerprint = kLimit;
  options.limits.stop_extra = 500ms;
  return options;
}

class StandstillTest : public testing::Test {
 protected:
  // Stops this process after a moment, and continues it.
  void StandStill(const std::string& first = "0.2") {
    const std::string script = "sleep " + first + "; kill -STOP $PPID; sleep " +
                               std::to_string(kStillSeconds) + "; kill -CONT $PPID";
    std::string shell = "/bin/sh", option = "-c", text = script;
    char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
    ASSERT_EQ(posix_spawn(&stopper_, "/bin/sh", nullptr, nullptr, arguments, environ), 0);
  }

  // Every call has lasted so long that it was open during the standstill, and no driver is blamed.
  void CheckNobodyIsBlamed(TimePoint begin) {
    EXPECT_EQ(waitpid(stopper_, nullptr, 0), stopper_);
    EXPECT_GE(loop_.Now() - begin, std::chrono::seconds(kStillSeconds));
    for (Driver* driver : node_->plugins()->drivers()) {
      const Fingerprint& fingerprint = driver->fingerprint();
      EXPECT_EQ(fingerprint.health, Health::kHealthy) << fingerprint.description;
    }
    EXPECT_EQ(blamed_, 0);
  }

  // Runs a task of DRIVER that ends by itself, and checks the report.
  void RunToEnd(const std::string& driver, const std::string& config) {
    const TimePoint begin = loop_.Now();
    LocalAlloc alloc(&node_, bench::MakeJob(bench::MakeTask(driver, config)));
    std::vector<Subscription> watched;
    for (Driver* of : node_->plugins()->drivers()) {
      watched.push_back(of->OnFingerprint(
          [this, of] { blamed_ += of->fingerprint().health == Health::kUnhealthy; }));
    }
    StandStill();
    alloc.Start();
    ASSERT_TRUE(loop_.RunToEnd(Finish(&alloc)));
    EXPECT_TRUE(alloc.record().Successful()) << alloc.record().events.back()->type;
    EXPECT_NE(alloc.EventTime(event_type::kStarted), 0);
    CheckNobodyIsBlamed(begin);
  }

  static Co<void> Finish(LocalAlloc* alloc) {
    const Status finished = co_await alloc->Finish();
    EXPECT_TRUE(finished.ok()) << finished.error().message();
  }

  bench::Scratch scratch_;
  RealLoop loop_;
  bench::LocalNode node_{&loop_, scratch_, ShortLimits()};
  pid_t stopper_ = 0;
  int blamed_ = 0;
};

TEST_F(StandstillTest, AStartThatWaitsIsNotLate) {
  RunToEnd("mock_driver", R"({"start_block_for": "800ms", "run_for": "10ms"})");
}

TEST_F(StandstillTest, AFunctionThatWorksDoesNotHoldItsThread) {
  RunToEnd("stuck", R"({"command": ")" DROVER_LOAD_FORKER R"(", "args": ["leave"],
                        "await_standstill": true})");
}

}  // namespace
}  // namespace drover::load
