// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/time.h"

// The policies of groups and jobs that say what happens when something changes: a new version, a
// failure, a node that leaves or falls silent, a point in time.
namespace drover {

// How a deployment replaces the allocations of a group: the rest of the update block. See
// UpdatePolicy for health.
struct RolloutPolicy {
  int max_parallel = 1;  // 0 means all at once, and no deployment
  Duration stagger = 30s;
  // The time without a newly healthy allocation after which a deployment fails; 0 means that the
  // first unhealthy allocation fails it.
  Duration progress_deadline = std::chrono::minutes(10);
  int canary = 0;
  bool auto_revert = false;
  bool auto_promote = false;

  bool operator==(const RolloutPolicy&) const = default;
};

// Whether and when a failed allocation gets a replacement.
struct ReschedulePolicy {
  enum class DelayFunction { kConstant, kExponential, kFibonacci };

  int attempts = 0;  // at most so many in `interval`, unless `unlimited`
  Duration interval{0};
  Duration delay = 30s;
  DelayFunction delay_function = DelayFunction::kExponential;
  Duration max_delay = std::chrono::hours(1);  // no meaning for kConstant
  bool unlimited = true;

  bool enabled() const { return unlimited || attempts > 0; }
  bool operator==(const ReschedulePolicy&) const = default;
};
std::string_view DelayFunctionName(ReschedulePolicy::DelayFunction function);  // "constant", ...

// What happens to an allocation whose node has lost contact.
struct DisconnectPolicy {
  enum class Reconcile { kBestScore, kKeepOriginal, kKeepReplacement, kLongestRunning };

  // The allocation is unknown for so long, then lost. Absent: it is lost when its node is down.
  std::optional<Duration> lost_after = {};
  // The node stops the allocation after so long without contact.
  std::optional<Duration> stop_on_client_after = {};
  bool replace = true;  // place a replacement while the allocation is unknown, or when it is lost
  Reconcile reconcile = Reconcile::kBestScore;  // which of the two stays after a reconnect

  bool operator==(const DisconnectPolicy&) const = default;
};
std::string_view DisconnectReconcileName(DisconnectPolicy::Reconcile reconcile);  // "best_score"

// When a job starts children by itself.
struct PeriodicPolicy {
  bool enabled = true;
  std::vector<std::string> specs;  // cron expressions; the earliest launch of all counts
  bool one_spec = false;           // written as the only one, in the field Spec
  bool prohibit_overlap = false;
  std::string time_zone = "UTC";

  bool operator==(const PeriodicPolicy&) const = default;
};

// What a request must give to start a child of a job.
struct ParameterizedPolicy {
  enum class Payload { kOptional, kRequired, kForbidden };

  Payload payload = Payload::kOptional;
  std::vector<std::string> meta_required;
  std::vector<std::string> meta_optional;

  bool operator==(const ParameterizedPolicy&) const = default;
};
std::string_view PayloadRuleName(ParameterizedPolicy::Payload payload);  // "optional", ...

}  // namespace drover
