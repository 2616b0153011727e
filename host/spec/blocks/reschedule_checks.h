// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job.h"
#include "host/spec/job_limits.h"
#include "host/spec/job_place.h"

namespace drover {

// Limits of a reschedule policy. Trackers of allocations have an event for each attempt.
inline constexpr Duration kLeastRescheduleDelay = 5s;
inline constexpr Duration kLeastRescheduleInterval = 15s;
inline constexpr int kMostRescheduleAttempts = 1000;

// Adds the faults of the reschedule policy of a group of a job of TYPE. AT is its place.
// [part of CheckJob]
void CheckReschedule(JobType type, const ReschedulePolicy& policy, const JobPlace& at);

}  // namespace drover
