// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/restart_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using Kind = RestartTracker::Kind;
using Mode = RestartPolicy::Mode;
using testing::AllOf;
using testing::Ge;
using testing::Gt;
using testing::Le;
using testing::Lt;

const TimePoint kStart{std::chrono::hours(1)};

std::uint64_t Least(std::uint64_t) { return 0; }
std::uint64_t Most(std::uint64_t bound) { return bound - 1; }

RestartPolicy Policy(Mode mode, int attempts = 3) {
  RestartPolicy policy;
  policy.attempts = attempts;
  policy.interval = 2min;
  policy.delay = 1s;
  policy.mode = mode;
  return policy;
}

RestartTracker Tracker(RestartPolicy policy, bool on_success,
                       RestartTracker::Random random = Least) {
  return RestartTracker(policy, on_success, {0, kStart}, std::move(random));
}

ExitResult Exit(int code) {
  ExitResult result;
  result.exit_code = code;
  return result;
}

RestartTracker::Decision AfterExit(RestartTracker& tracker, int code, TimePoint now = kStart) {
  tracker.SetExit(Exit(code));
  return tracker.Next(now);
}

RestartTracker::Decision AfterStartError(RestartTracker& tracker, bool recoverable,
                                         TimePoint now = kStart) {
  tracker.SetStartError(Error(Code::kInternal, "no", recoverable));
  return tracker.Next(now);
}

TEST(RestartTrackerTest, TheLongestIntervalAndDelayAreWaitedFor) {
  RestartPolicy policy = Policy(Mode::kDelay, 1);
  policy.interval = policy.delay = Duration::max();
  RestartTracker tracker = Tracker(policy, true, Most);
  EXPECT_THAT(AfterExit(tracker, 1).delay, Gt(std::chrono::hours(24 * 365)));
  const auto beyond = AfterExit(tracker, 1, kStart + 1s);
  EXPECT_EQ(beyond.kind, Kind::kRestarting);
  EXPECT_THAT(beyond.delay, Gt(std::chrono::hours(24 * 365)));
}

TEST(RestartTrackerTest, OneThatGoesOnCountsOn) {
  RestartTracker first = Tracker(Policy(Mode::kFail, 2), true);
  EXPECT_EQ(AfterExit(first, 1, kStart + 1s).kind, Kind::kRestarting);
  RestartTracker second(Policy(Mode::kFail, 2), true, first.counted(), Least);
  EXPECT_EQ(AfterExit(second, 1, kStart + 2s).kind, Kind::kRestarting);
  EXPECT_EQ(AfterExit(second, 1, kStart + 119s).kind, Kind::kNotRestarting);
  // The interval also continues from the first tracker.
  RestartTracker third(Policy(Mode::kFail, 2), true, second.counted(), Least);
  EXPECT_EQ(AfterExit(third, 1, kStart + 120s).kind, Kind::kRestarting);
}

TEST(RestartTrackerTest, ModeDelayWaitsForTheRestOfTheInterval) {
  for (const auto& random : {Least, Most}) {
    RestartTracker tracker = Tracker(Policy(Mode::kDelay), true, random);
    for (int i = 0; i < 3; ++i) {
      const auto decision = AfterExit(tracker, 127);
      EXPECT_EQ(decision.kind, Kind::kRestarting);
      EXPECT_EQ(decision.reason, "Restart within policy");
      EXPECT_THAT(decision.delay, AllOf(Ge(1s), Lt(1250ms)));
    }
    for (int i = 0; i < 3; ++i) {
      const auto decision = AfterExit(tracker, 127, kStart + i * 10s);
      EXPECT_EQ(decision.kind, Kind::kRestarting);
      EXPECT_EQ(decision.reason, "Exceeded allowed attempts, applying a delay");
      EXPECT_EQ(decision.delay, 2min - i * 10s);
      EXPECT_THAT(decision.delay, AllOf(Gt(1s), Le(2min)));
    }
  }
}

TEST(RestartTrackerTest, AfterTheDelayTheCountBeginsAgain) {
  RestartTracker tracker = Tracker(Policy(Mode::kDelay, 1), true);
  EXPECT_EQ(AfterExit(tracker, 1).delay, 1s);
  const Duration rest = AfterExit(tracker, 1).delay;
  EXPECT_EQ(rest, 2min);
  EXPECT_EQ(AfterExit(tracker, 1, kStart + rest).reason, "Restart within policy");
}

TEST(RestartTrackerTest, ModeFailEndsAfterTheAttempts) {
  RestartTracker tracker = Tracker(Policy(Mode::kFail), true);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(AfterExit(tracker, 127).kind, Kind::kRestarting);
  const auto decision = AfterExit(tracker, 127);
  EXPECT_EQ(decision.kind, Kind::kNotRestarting);
  EXPECT_EQ(decision.reason, "Exceeded allowed attempts 3 in interval 2m0s and mode is \"fail\"");
}

TEST(RestartTrackerTest, ANewIntervalResetsTheCount) {
  RestartTracker tracker = Tracker(Policy(Mode::kFail, 1), true);
  EXPECT_EQ(AfterExit(tracker, 1).kind, Kind::kRestarting);
  EXPECT_EQ(AfterExit(tracker, 1, kStart + 2min).kind, Kind::kRestarting);
  EXPECT_EQ(AfterExit(tracker, 1, kStart + 4min - 1ns).kind, Kind::kNotRestarting);
}

TEST(RestartTrackerTest, BatchThatExitsWellHasTerminated) {
  RestartTracker tracker = Tracker(Policy(Mode::kFail), false);
  const auto decision = AfterExit(tracker, 0);
  EXPECT_EQ(decision.kind, Kind::kTerminated);
  EXPECT_EQ(decision.reason, "Restart unnecessary as task terminated successfully");
}

TEST(RestartTrackerTest, ASignalOrAnErrorIsNoSuccess) {
  ExitResult by_signal;
  by_signal.signal = 9;
  ExitResult with_error;
  with_error.error = "supervisor lost";
  for (const ExitResult& result : {by_signal, with_error}) {
    RestartTracker tracker = Tracker(Policy(Mode::kFail), false);
    tracker.SetExit(result);
    EXPECT_EQ(tracker.Next(kStart).kind, Kind::kRestarting);
  }
}

TEST(RestartTrackerTest, NoAttempts) {
  struct Row {
    bool service;
    int code;
    Kind kind;
  };
  for (const Row& row : {Row{true, 1, Kind::kNotRestarting}, Row{true, 0, Kind::kNotRestarting},
                         Row{false, 0, Kind::kTerminated}, Row{false, 1, Kind::kNotRestarting}}) {
    RestartTracker tracker = Tracker(Policy(Mode::kFail, 0), row.service);
    const auto decision = AfterExit(tracker, row.code);
    EXPECT_EQ(decision.kind, row.kind) << row.service << row.code;
    EXPECT_EQ(decision.reason, "Policy allows no restarts");
  }
}

TEST(RestartTrackerTest, NoAttemptsAndAStartError) {
  RestartTracker tracker = Tracker(Policy(Mode::kFail, 0), false);
  const auto decision = AfterStartError(tracker, true);
  EXPECT_EQ(decision.kind, Kind::kNotRestarting);
  EXPECT_EQ(decision.reason, "Policy allows no restarts");
}

TEST(RestartTrackerTest, KilledWinsOverEverything) {
  RestartTracker tracker = Tracker(Policy(Mode::kFail), true);
  tracker.SetTriggered(false);
  tracker.SetStartError(Error(Code::kInternal, "no", true));
  tracker.SetKilled();
  EXPECT_EQ(AfterExit(tracker, 1), (RestartTracker::Decision{Kind::kKilled, 0s, ""}));
}

TEST(RestartTrackerTest, TriggeredRestartsAtOnceAndIsNotCounted) {
  RestartTracker tracker = Tracker(Policy(Mode::kFail, 0), true);
  for (int i = 0; i < 5; ++i) {
    tracker.SetTriggered(false);
    EXPECT_EQ(AfterExit(tracker, 1), (RestartTracker::Decision{Kind::kRestarting, 0s, ""}));
  }
  EXPECT_EQ(tracker.counted().count, 0);
}

TEST(RestartTrackerTest, TriggeredByAFailureCounts) {
  for (const bool service : {true, false}) {
    for (const int code : {0, 1}) {
      RestartTracker tracker = Tracker(Policy(Mode::kFail, 1), service);
      tracker.SetTriggered(true);
      const auto first = AfterExit(tracker, code);
      EXPECT_EQ(first.kind, Kind::kRestarting);
      EXPECT_GT(first.delay, 0s);
      tracker.SetTriggered(true);
      EXPECT_EQ(AfterExit(tracker, code).kind, Kind::kNotRestarting);
    }
  }
}

TEST(RestartTrackerTest, RecoverableStartErrorsAreLikeBadExits) {
  RestartTracker fail = Tracker(Policy(Mode::kFail), false);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(AfterStartError(fail, true).kind, Kind::kRestarting);
  EXPECT_EQ(AfterStartError(fail, true).kind, Kind::kNotRestarting);
  RestartTracker delay = Tracker(Policy(Mode::kDelay), false);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(AfterStartError(delay, true).delay, 1s);
  EXPECT_EQ(AfterStartError(delay, true).delay, 2min);
}

TEST(RestartTrackerTest, UnrecoverableStartErrorEnds) {
  RestartTracker tracker = Tracker(Policy(Mode::kDelay), true);
  const auto decision = AfterStartError(tracker, false);
  EXPECT_EQ(decision.kind, Kind::kNotRestarting);
  EXPECT_EQ(decision.reason, "Error was unrecoverable");
}

TEST(RestartTrackerTest, WhatHappenedIsForgottenAfterADecision) {
  RestartTracker tracker = Tracker(Policy(Mode::kFail), false);
  EXPECT_EQ(AfterStartError(tracker, false).kind, Kind::kNotRestarting);
  tracker.SetTriggered(false);
  EXPECT_EQ(tracker.Next(kStart).delay, 0s);
  EXPECT_EQ(AfterExit(tracker, 0).kind, Kind::kTerminated);
}

TEST(RestartTrackerTest, NoDelayIsOneNanosecond) {
  RestartPolicy policy = Policy(Mode::kFail);
  policy.delay = 0s;
  RestartTracker tracker = Tracker(policy, true, Most);
  EXPECT_EQ(AfterExit(tracker, 1).delay, 1ns);
  policy.delay = 3ns;  // a quarter of it rounds down to 0
  tracker.SetPolicy(policy);
  EXPECT_EQ(AfterExit(tracker, 1).delay, 3ns);
}

TEST(RestartTrackerTest, AnOomKillChangesNothing) {
  ExitResult result = Exit(137);
  result.oom_killed = true;
  RestartTracker tracker = Tracker(Policy(Mode::kFail, 1), true);
  tracker.SetExit(result);
  EXPECT_EQ(tracker.Next(kStart).kind, Kind::kRestarting);
}

TEST(RestartTrackerTest, LifecycleDecidesBeforeTheJobType) {
  using Hook = Lifecycle::Hook;
  for (const JobType type :
       {JobType::kService, JobType::kSystem, JobType::kBatch, JobType::kSysbatch}) {
    Task task;
    EXPECT_EQ(RestartsOnSuccess(type, task), type == JobType::kService || type == JobType::kSystem);
    for (const Hook hook : {Hook::kPrestart, Hook::kPoststart}) {
      for (const bool sidecar : {false, true}) {
        task.lifecycle = Lifecycle{hook, sidecar};
        EXPECT_EQ(RestartsOnSuccess(type, task), sidecar);
        RestartTracker tracker = Tracker(Policy(Mode::kFail), RestartsOnSuccess(type, task));
        EXPECT_EQ(AfterExit(tracker, 0).kind, sidecar ? Kind::kRestarting : Kind::kTerminated);
        EXPECT_EQ(AfterExit(tracker, 127).kind, Kind::kRestarting);
      }
    }
    task.lifecycle = Lifecycle{Hook::kPoststop, true};
    EXPECT_FALSE(RestartsOnSuccess(type, task));
  }
}

}  // namespace
}  // namespace drover
