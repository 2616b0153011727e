// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/reschedule_checks.h"

#include <gmock/gmock.h>

#include "host/spec/blocks/change_json.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using RescheduleFunction = ReschedulePolicy::DelayFunction;

std::vector<std::string> RescheduleFaults(const ReschedulePolicy& policy,
                                          JobType type = JobType::kService) {
  JobFaults faults;
  CheckReschedule(type, policy, JobPlace("/R", &faults));
  std::vector<std::string> out;
  for (const JobFault& fault : faults.list()) out.push_back(fault.pointer + " " + fault.message);
  return out;
}

ReschedulePolicy LimitedPolicy(int attempts, Duration interval, Duration delay,
                               RescheduleFunction function, Duration max_delay) {
  return {attempts, interval, delay, function, max_delay, false};
}

TEST(RescheduleChecksTest, TheDefaultsAreRight) {
  for (const JobType type :
       {JobType::kService, JobType::kBatch, JobType::kSystem, JobType::kSysbatch}) {
    EXPECT_THAT(RescheduleFaults(DefaultReschedulePolicy(type), type), IsEmpty());
  }
}

TEST(RescheduleChecksTest, APolicyThatIsOffMayHaveAnyDelays) {
  const auto off = LimitedPolicy(0, 0s, 0s, RescheduleFunction::kExponential, 0s);
  EXPECT_THAT(RescheduleFaults(off), IsEmpty());
  EXPECT_THAT(RescheduleFaults(off, JobType::kSystem), IsEmpty());
}

TEST(RescheduleChecksTest, DelaysHaveLimits) {
  ReschedulePolicy policy;
  policy.delay = 4s;
  EXPECT_THAT(RescheduleFaults(policy), ElementsAre("/R/Delay must be at least 5s, but is 4s"));
  policy.delay = 30s;
  policy.max_delay = 29s;
  EXPECT_THAT(RescheduleFaults(policy),
              ElementsAre("/R/MaxDelay must be at least 30s, but is 29s"));
  policy.delay_function = RescheduleFunction::kConstant;
  EXPECT_THAT(RescheduleFaults(policy), IsEmpty()) << "it has no meaning then";
  policy.delay = Duration::max();
  EXPECT_EQ(RescheduleFaults(policy).size(), 1u);
}

TEST(RescheduleChecksTest, AttemptsMustFitIntoTheirInterval) {
  constexpr auto kConstant = RescheduleFunction::kConstant;
  EXPECT_THAT(RescheduleFaults(LimitedPolicy(2, 14s, 5s, kConstant, 0s)),
              ElementsAre("/R/Interval must be at least 15s, but is 14s"));
  EXPECT_THAT(RescheduleFaults(LimitedPolicy(3, 15s, 5s, kConstant, 0s)), IsEmpty());
  EXPECT_EQ(RescheduleFaults(LimitedPolicy(4, 15s, 5s, kConstant, 0s)).size(), 1u);
  // 5, 10, 20, 20
  constexpr auto kExponential = RescheduleFunction::kExponential;
  EXPECT_THAT(RescheduleFaults(LimitedPolicy(4, 55s, 5s, kExponential, 20s)), IsEmpty());
  EXPECT_EQ(RescheduleFaults(LimitedPolicy(4, 54s, 5s, kExponential, 20s)).size(), 1u);
  // 5, 5, 10, 15
  constexpr auto kFibonacci = RescheduleFunction::kFibonacci;
  EXPECT_THAT(RescheduleFaults(LimitedPolicy(4, 35s, 5s, kFibonacci, 1h)), IsEmpty());
  EXPECT_EQ(RescheduleFaults(LimitedPolicy(4, 34s, 5s, kFibonacci, 1h)).size(), 1u);
  EXPECT_EQ(RescheduleFaults(LimitedPolicy(1001, 24h, 5s, kConstant, 0s)).size(), 1u);
}

TEST(RescheduleChecksTest, WhatContradictsItselfIsRefused) {
  ReschedulePolicy policy;
  policy.attempts = 3;
  EXPECT_EQ(RescheduleFaults(policy).size(), 1u) << "it is unlimited, too";
  policy.attempts = -1;
  EXPECT_THAT(RescheduleFaults(policy), ElementsAre("/R/Attempts must not be negative, but is -1"));
  EXPECT_EQ(RescheduleFaults({}, JobType::kSystem).size(), 1u);
  EXPECT_EQ(RescheduleFaults({}, JobType::kSysbatch).size(), 1u);
}

}  // namespace
}  // namespace drover
