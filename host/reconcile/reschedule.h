// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/spec/job.h"
#include "host/state/records.h"

namespace drover {

// Replacements that are due within so short a time happen at once, and those that are due at most
// so long after another one of the same plan happen together with it.
inline constexpr Duration kRescheduleAtOnce = 1s;
inline constexpr Duration kRescheduleTogether = 5s;

// Returns how long the replacement of an allocation with the past CHANGE has to wait, by the
// function of POLICY. After a run of more than max_delay without a failure, the delay begins anew.
Duration NextDelay(const ReschedulePolicy& policy, const AllocChange& change, WallTime failed_at);

// Returns when a failed allocation gets its replacement; absent if it gets none. The attempts of
// the policy within its interval before the failure count.
std::optional<WallTime> RescheduleTime(const ReschedulePolicy& policy, const AllocRecord& record,
                                       WallTime now);

// Returns when RECORD failed: the latest end of its tasks, or the time of its report. The clock of
// its node may be wrong: an end in the future, or before the allocation was placed, does not count,
// and such a report counts as NOW.
WallTime FailedAt(const AllocRecord& record, WallTime now);

// Returns what the replacement of RECORD inherits, with one more event. Old events that no rule of
// POLICY needs are dropped.
AllocChange AfterReschedule(const ReschedulePolicy& policy, const AllocRecord& record,
                            WallTime now);

}  // namespace drover
