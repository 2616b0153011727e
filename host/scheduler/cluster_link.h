// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/spec/blocks/service_registration.h"
#include "host/state/records.h"

namespace drover {

// The allocations that a node must have: all of them, or only those that have changed.
struct NodeAllocs {
  bool complete = true;
  std::vector<std::shared_ptr<const Allocation>> allocs;
  // Ids of allocations that the node must remove; empty if complete.
  std::vector<std::string> gone;
  // Allocations that must not start before others of this node have ended, which made room for
  // them: their ids, by the id of the one that waits.
  std::map<std::string, std::vector<std::string>> after;
  std::uint64_t index = 0;
};

// How long updates are gathered before they are sent to the server together.
struct UpdatePace {
  Duration tick = 200ms;    // for updates that change a client status; 0 sends each at once
  Duration slow_tick = 1s;  // for all other updates
};

// A node reaches its scheduler through this interface. The scheduler is embedded in the agent. In
// a later version, it may be a part of a remote cluster. Any call may take long. Call these
// functions only on the control thread.
class ClusterLink {
 public:
  virtual ~ClusterLink() = default;

  virtual UpdatePace pace() const { return {}; }

  // Registers the node, or registers it again. Returns how soon a heartbeat is due.
  virtual Co<Result<Duration>> Register(Context context, NodeRecord node) = 0;
  // Reports that the node is alive and ready. Returns how soon the next heartbeat is due. Error
  // kNotFound means that the node must register again. Error kFailedPrecondition means that the
  // node was regarded as lost: it must report the states of all its allocations by ReportAllocs
  // before it is ready again.
  virtual Co<Result<Duration>> Heartbeat(Context context, std::string node_id) = 0;
  // Waits until the allocations of the node have changed after the index NEWER_THAN, or until
  // CONTEXT ends. The node must remove each allocation that is missing from a complete answer. The
  // answer to NEWER_THAN 0 is complete. Other answers may be complete, too.
  virtual Co<Result<NodeAllocs>> FetchAllocs(Context context, std::string node_id,
                                             std::uint64_t newer_than) = 0;
  // Reports the state of allocations. Error kFailedPrecondition means that the node is not ready,
  // so it must send a heartbeat first, and report all of its allocations if that says so.
  virtual Co<Status> UpdateAllocs(Context context, std::string node_id,
                                  std::vector<AllocUpdate> updates) = 0;
  // The same with the states of all allocations of the node, also if it has none. If a heartbeat
  // has asked for them, the node is ready afterwards.
  virtual Co<Status> ReportAllocs(Context context, std::string node_id,
                                  std::vector<AllocUpdate> updates) = 0;
  // Stores registrations of services and removes those with the ids GONE, in one write. A
  // registration whose allocation is unknown, terminal for the server or ended is dropped without
  // an error.
  virtual Co<Status> UpdateServices(Context context, std::string node_id,
                                    std::vector<ServiceRegistration> put,
                                    std::vector<std::string> gone) = 0;
  // Returns all registrations of the node's allocations.
  virtual Co<Result<std::vector<ServiceRegistration>>> FetchServices(Context context,
                                                                     std::string node_id) = 0;
};

}  // namespace drover
