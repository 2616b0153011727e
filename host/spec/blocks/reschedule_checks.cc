// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/reschedule_checks.h"

#include <algorithm>
#include <string>

namespace drover {
namespace {

using Function = ReschedulePolicy::DelayFunction;

// Returns how long all attempts of a policy wait together.
Duration AllDelays(const ReschedulePolicy& policy) {
  Duration sum{0}, last{0}, delay = policy.delay;
  for (int i = 0; i < policy.attempts && sum <= policy.interval; ++i) {
    sum += delay;
    Duration next = policy.delay;
    if (policy.delay_function == Function::kExponential) next = delay + delay;
    if (policy.delay_function == Function::kFibonacci) next = last + delay;
    last = delay;
    delay = policy.delay_function == Function::kConstant ? next : std::min(next, policy.max_delay);
  }
  return sum;
}

// Checks a duration that must be at least LEAST. Returns whether it is right.
bool CheckLeast(Duration duration, Duration least, const JobPlace& at) {
  if (duration < least) {
    at.Fault("must be at least " + FormatDuration(least) + ", but is " + FormatDuration(duration));
    return false;
  }
  job_checks::CheckLength(duration, at);
  return duration <= kLongestOfJob;
}

void CheckAttempts(const ReschedulePolicy& policy, const JobPlace& at) {
  if (!CheckLeast(policy.interval, kLeastRescheduleInterval, at / "Interval")) return;
  if (!job_checks::CheckMost(policy.attempts, kMostRescheduleAttempts, at / "Attempts")) return;
  if (AllDelays(policy) <= policy.interval) return;
  at.Fault(std::to_string(policy.attempts) + " attempts with a first delay of " +
           FormatDuration(policy.delay) + " do not fit into the interval of " +
           FormatDuration(policy.interval));
}

}  // namespace

void CheckReschedule(JobType type, const ReschedulePolicy& policy, const JobPlace& at) {
  if (policy.attempts < 0) {
    (at / "Attempts").Fault("must not be negative, but is " + std::to_string(policy.attempts));
    return;
  }
  if (!policy.enabled()) return;
  if (type != JobType::kService && type != JobType::kBatch) {
    at.Fault("system and sysbatch jobs run on each node and are not rescheduled; remove it");
    return;
  }
  if (policy.unlimited && policy.attempts > 0) {
    (at / "Attempts")
        .Fault(std::to_string(policy.attempts) +
               " attempts with unlimited = true is ambiguous; write unlimited = false, or 0 "
               "attempts");
    return;
  }
  bool right = CheckLeast(policy.delay, kLeastRescheduleDelay, at / "Delay");
  if (policy.delay_function != Function::kConstant) {
    const Duration least = std::max(policy.delay, kLeastRescheduleDelay);
    right = CheckLeast(policy.max_delay, least, at / "MaxDelay") && right;
  }
  if (right && !policy.unlimited) CheckAttempts(policy, at);
}

}  // namespace drover
