// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/loop.h"
#include "host/scheduler/tables.h"

namespace drover {

// How a node is to be drained.
struct DrainSpec {
  Duration deadline{0};  // for what would end by itself; negative: at once, 0: none
  bool ignore_system_jobs = false;
};

// NODE as a drain that begins now leaves it: it gets no new allocations.
NodeRecord BeginDrain(const NodeRecord& node, const DrainSpec& spec, StringMap meta,
                      const Loop& loop);
// NODE without its drain, which is STATUS: "complete" or "canceled".
NodeRecord EndDrain(const NodeRecord& node, const char* status, WallTime now);

// How long until what would end by itself has to go, too; 0 or less: it is over.
Duration UntilForced(const NodeDrain& drain, const Loop& loop);
// The allocations of a node that is drained which have to go now, and are not asked to yet:
// services as many of a group at a time as it says, what ends by itself when the deadline has
// passed, and then all the rest. What takes their places is not awaited: there is no other node.
std::vector<std::shared_ptr<const AllocRecord>> ToMigrate(const Tables& tables,
                                                          const NodeRecord& node, const Loop& loop);
// Whether nothing of the node runs any more.
bool IsDrained(const Tables& tables, const NodeRecord& node);

}  // namespace drover
