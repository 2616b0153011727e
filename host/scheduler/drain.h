// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/loop.h"
#include "host/state/tables.h"

namespace drover {

// The options of a drain.
struct DrainSpec {
  // The time after which all allocations must leave the node. A negative value means that they
  // must leave at once, and 0 means no deadline.
  Duration deadline{0};
  bool ignore_system_jobs = false;
};

// Returns NODE with a drain that begins now. The node gets no new allocations.
NodeRecord BeginDrain(const NodeRecord& node, const DrainSpec& spec, StringMap meta,
                      const Loop& loop);
// Returns NODE without its drain. STATUS is the result of the drain: "complete" or "canceled".
NodeRecord EndDrain(const NodeRecord& node, const char* status, WallTime now);

// Returns the time until all allocations must leave; 0 or less if the deadline has passed.
Duration UntilForced(const NodeDrain& drain, const Loop& loop);
// Returns the allocations that must be asked to leave a draining node now. Allocations that were
// asked before are not among them. Before the deadline, batch jobs may run on, and at most
// migrate_max_parallel allocations of each other group leave at a time. If another node can take
// them, one counts as leaving until its replacement is healthy. System jobs leave when nothing else
// is left, or not at all. After the deadline, all allocations must leave.
std::vector<std::shared_ptr<const AllocRecord>> ToMigrate(const Tables& tables,
                                                          const NodeRecord& node, const Loop& loop);
// Returns whether all allocations of the node that its drain concerns have ended.
bool IsDrained(const Tables& tables, const NodeRecord& node);

}  // namespace drover
