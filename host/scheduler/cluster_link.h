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

// The allocations that a node must have: all of them, or only those that have changed.
struct NodeAllocs {
  bool complete = true;
  std::vector<std::shared_ptr<const Allocation>> allocs;
  std::vector<std::string> gone;  // if not complete: ids that the node must remove
  std::uint64_t index = 0;
};

// How updates are gathered on their way to the server.
struct UpdatePace {
  Duration tick = 200ms;    // for those that change a client status; 0: each goes at once
  Duration slow_tick = 1s;  // for all others
};

// Everything that a node needs from the scheduler: the embedded one, or later a remote cluster. Any
// call may take long. Control thread only.
class ClusterLink {
 public:
  virtual ~ClusterLink() = default;

  virtual UpdatePace pace() const { return {}; }

  // Registers the node, or registers it again. Returns how soon a heartbeat is due.
  virtual Co<Result<Duration>> Register(Context context, NodeRecord node) = 0;
  // Reports that the node is alive and ready. Returns how soon the next heartbeat is due.
  // kNotFound: register again.
  virtual Co<Result<Duration>> Heartbeat(Context context, std::string node_id) = 0;
  // Waits until the allocations of the node have changed since NEWER_THAN, at most as long as
  // CONTEXT lives. The node must remove an allocation that is missing from a complete answer. The
  // answer to 0 is complete, others may be.
  virtual Co<Result<NodeAllocs>> FetchAllocs(Context context, std::string node_id,
                                             std::uint64_t newer_than) = 0;
  // kFailedPrecondition: the node is not ready, so it must send a heartbeat first.
  virtual Co<Status> UpdateAllocs(Context context, std::string node_id,
                                  std::vector<AllocUpdate> updates) = 0;
};

}  // namespace drover
