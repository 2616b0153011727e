// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/reconcile/rollout.h"

namespace drover {

// These functions plan one group: the first one of a job that has a number of allocations wherever
// there is room, the second one of a job that has them on each node.
GroupPlan PlanServiceGroup(const ReconcileInput& input, const TaskGroup& group,
                           GroupChange* change);
GroupPlan PlanSystemGroup(const ReconcileInput& input, const TaskGroup& group, GroupChange* change);

// Parts of both.

// Makes an allocation whose node has no contact unknown, and its end later a follow-up.
void Disconnect(const ReconcileInput& input, const std::shared_ptr<const AllocRecord>& record,
                GroupPlan* plan);
// Stops an allocation that its node cannot report as ended.
void StopLost(const std::shared_ptr<const AllocRecord>& record, GroupPlan* plan);
// Sorts allocations that are to be replaced: first those that do not run or
// are not healthy, then by index.
void SortForReplacement(AllocRecords* records);

}  // namespace drover
