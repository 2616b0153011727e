// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/reconcile/reschedule.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "host/spec/blocks/reschedule_checks.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

// The delay functions look at the last two events. A few more show people what has happened.
constexpr std::size_t kKeptEvents = 5;

using Events = std::vector<RescheduleEvent>;

// Returns whether an event at TIME counts among the attempts before a failure at FAILED_AT.
bool Counts(const ReschedulePolicy& policy, WallTime time, WallTime failed_at) {
  return policy.interval <= Duration(0) || failed_at - time < policy.interval.count();
}

Duration Sum(Duration a, Duration b) {
  return a > Duration::max() - b ? Duration::max() : a + b;  // neither is negative
}

Duration Grown(const ReschedulePolicy& policy, const Events& events) {
  using Function = ReschedulePolicy::DelayFunction;
  const Duration last = events.back().delay;
  switch (policy.delay_function) {
    case Function::kConstant:
      return policy.delay;
    case Function::kExponential:
      return Sum(last, last);
    case Function::kFibonacci: {
      // The row begins with two equal delays. A delay that is smaller than the one before has begun
      // the row anew.
      if (events.size() < 2) return policy.delay;
      const Duration before = events[events.size() - 2].delay;
      return last < before ? last : Sum(last, before);
    }
  }
  return policy.delay;
}

}  // namespace

Duration NextDelay(const ReschedulePolicy& of_job, const AllocChange& change, WallTime failed_at) {
  const Events& events = change.reschedules;
  // A stored job may come from a version that did not check its delays.
  ReschedulePolicy policy = of_job;
  policy.delay = std::max(Bounded(policy.delay), kLeastRescheduleDelay);
  policy.max_delay = Bounded(policy.max_delay);
  if (events.empty() || policy.delay_function == ReschedulePolicy::DelayFunction::kConstant) {
    return policy.delay;
  }
  const Duration grown = Grown(policy, events);
  if (policy.max_delay <= Duration(0)) return grown;
  if (failed_at - events.back().time > policy.max_delay.count()) return policy.delay;
  return std::min(grown, policy.max_delay);
}

std::optional<WallTime> RescheduleTime(const ReschedulePolicy& policy, const AllocRecord& record,
                                       WallTime now) {
  if (!policy.enabled()) return std::nullopt;
  const WallTime failed_at = FailedAt(record, now);
  const Events& events = record.changes().reschedules;
  if (!policy.unlimited) {
    const auto attempts = std::ranges::count_if(
        events, [&](const auto& event) { return Counts(policy, event.time, failed_at); });
    if (attempts >= policy.attempts) return std::nullopt;
  }
  const WallTime delay = NextDelay(policy, record.changes(), failed_at).count();
  constexpr WallTime kNever = std::numeric_limits<WallTime>::max();
  return delay > kNever - failed_at ? kNever : failed_at + delay;
}

WallTime FailedAt(const AllocRecord& record, WallTime now) {
  WallTime last = 0;
  for (const auto& [name, task] : record.reported.tasks) {
    if (task != nullptr) last = std::max(last, task->finished_at);
  }
  const auto is_possible = [&](WallTime at) {
    return at > 0 && at >= record.alloc->create_time && at <= now;
  };
  if (!is_possible(last)) last = record.reported.modify_time;
  if (last == 0) last = record.modify_time;
  return is_possible(last) ? last : now;
}

AllocChange AfterReschedule(const ReschedulePolicy& policy, const AllocRecord& record,
                            WallTime now) {
  const Events& past = record.changes().reschedules;
  AllocChange after;
  const std::size_t kept = kKeptEvents - 1;  // and the new one
  for (std::size_t i = 0; i < past.size(); ++i) {
    const bool is_late = i + kept >= past.size();
    if (is_late || (!policy.unlimited && Counts(policy, past[i].time, now))) {
      after.reschedules.push_back(past[i]);
    }
  }
  after.reschedules.push_back({now, record.id(), record.alloc->node_id,
                               NextDelay(policy, record.changes(), FailedAt(record, now))});
  after.last_reschedule = "ok";
  return after;
}

}  // namespace drover
