// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/loop.h"
#include "host/scheduler/tables.h"

namespace drover {

// The options of a drain.
struct DrainSpec {
  Duration deadline{0};  // after it, all allocations must go; negative: at once, 0: none
  bool ignore_system_jobs = false;
};

// Returns NODE with a drain that begins now: it gets no new allocations.
NodeRecord BeginDrain(const NodeRecord& node, const DrainSpec& spec, StringMap meta,
                      const Loop& loop);
// Returns NODE without its drain, which ended as STATUS: "complete" or "canceled".
NodeRecord EndDrain(const NodeRecord& node, const char* status, WallTime now);

// The time until all allocations must go; 0 or less: the deadline has passed.
Duration UntilForced(const NodeDrain& drain, const Loop& loop);
// The allocations of a draining node that must go now, and are not asked to yet. Until the deadline
// batch jobs may run on, and at most migrate_max_parallel allocations of any other group go at a
// time. After it, all go. Replacements are not awaited: there is no other node.
std::vector<std::shared_ptr<const AllocRecord>> ToMigrate(const Tables& tables,
                                                          const NodeRecord& node, const Loop& loop);
// Whether all allocations of the node have ended.
bool IsDrained(const Tables& tables, const NodeRecord& node);

}  // namespace drover
