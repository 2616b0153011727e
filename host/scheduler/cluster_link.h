// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/scheduler/records.h"

namespace drover {

// The allocations of a node as they are wanted: all, or those that have changed.
struct NodeAllocs {
  bool complete = true;
  std::vector<std::shared_ptr<const Allocation>> allocs;
  std::vector<std::string> gone;  // if not complete: ids of what is not wanted any more at all
  std::uint64_t index = 0;
};

// How updates are gathered on their way to the server.
struct UpdatePace {
  Duration tick = 200ms;    // of those that change a client status; 0: each goes at once
  Duration slow_tick = 1s;  // of all others
};

// All that a node needs of those who decide what runs on it: the embedded scheduler, or later a
// cluster somewhere else. Nothing here may be taken for quick. Control thread only.
class ClusterLink {
 public:
  virtual ~ClusterLink() = default;

  virtual UpdatePace pace() const { return {}; }

  // Makes the node known, or known anew. The answer is how soon it must be heard of again.
  virtual Co<Result<Duration>> Register(Context context, NodeRecord node) = 0;
  // Says that the node lives and is ready. kNotFound: register again.
  virtual Co<Result<Duration>> Heartbeat(Context context, std::string node_id) = 0;
  // Waits until the allocations of the node have changed since NEWER_THAN, at most as long as
  // CONTEXT lives. An allocation that is missing from a complete answer is not wanted any more at
  // all; the answer to 0 is complete, others may be.
  virtual Co<Result<NodeAllocs>> FetchAllocs(Context context, std::string node_id,
                                             std::uint64_t newer_than) = 0;
  // kFailedPrecondition: the node has not said yet that it is ready.
  virtual Co<Status> UpdateAllocs(Context context, std::string node_id,
                                  std::vector<AllocUpdate> updates) = 0;
};

}  // namespace drover
