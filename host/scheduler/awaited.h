// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <set>
#include <string>

#include "host/scheduler/node_capacity.h"

namespace drover {

// The thing that a group without a place waits for. Until it has come, no evaluation of the group
// has another result.
struct Awaited {
  enum class What {
    kRoom,  // as much as `least`
    kPort,  // PORT, or any if it is 0, and room for `least`
    kEnd,   // the end of an allocation of JOB, which must not be beside the next one
    kNode,  // another node, or another state of this one
  };

  What what = What::kRoom;
  int port = 0;
  JobKey job = {};
  std::string address = {};  // the address of PORT; empty: not known which
  GroupNeeds least = {};     // for kRoom and kPort; nothing: not known how much

  bool NeedsRoom() const { return what == What::kRoom || what == What::kPort; }

  auto operator<=>(const Awaited&) const = default;
};

// The reason why a group has no place.
struct NoPlace {
  PlacementFailure failure;
  Awaited awaited;
};

// The things beside room that have come since the last visit of the queue.
struct Freed {
  bool all = false;            // anything: the node has changed
  bool other_ports = false;    // perhaps also ports that foreign processes had
  std::set<int> ports = {};    // of any address
  std::set<JobKey> jobs = {};  // jobs of which an allocation has ended
};

}  // namespace drover
