// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <set>
#include <string>

#include "host/scheduler/node_capacity.h"

namespace drover {

// The event that a group waits for after it could not be placed. Until the event occurs, another
// evaluation of the group would give the same result.
struct Awaited {
  enum class What {
    kRoom,  // `least` is free on the node
    kPort,  // PORT (any dynamic port if PORT is 0) and `least` are free
    kEnd,   // an allocation of JOB ends; until then, a constraint forbids one more allocation
    kNode,  // the node changes, or there is another node
  };

  What what = What::kRoom;
  int port = 0;
  JobKey job = {};
  std::string address = {};  // the address of PORT; empty if unknown
  GroupNeeds least = {};     // the resources for kRoom and kPort; all 0 if unknown

  bool NeedsRoom() const { return what == What::kRoom || what == What::kPort; }

  auto operator<=>(const Awaited&) const = default;
};

// The reason why an allocation of a group could not be placed.
struct NoPlace {
  PlacementFailure failure;
  Awaited awaited;
};

// The events, other than freed room, that have occurred since the last walk over the queue.
struct Freed {
  bool all = false;            // the node has changed, so any event may have occurred
  bool other_ports = false;    // processes outside Drover may have freed ports, too
  std::set<int> ports = {};    // freed port numbers, on any address
  std::set<JobKey> jobs = {};  // jobs with an allocation that has ended
};

}  // namespace drover
