// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <set>
#include <string>

#include "host/state/node_capacity.h"

namespace drover {

// The event that a task group waits for after an allocation of it could not be placed. Until the
// event occurs, another evaluation of the group would give the same result.
struct Awaited {
  enum class What {
    kRoom,    // the resources in `least` are free on the node
    kPort,    // `port` (any dynamic port if 0) and the resources in `least` are free
    kEnd,     // an allocation of `job` ends; a constraint limits how many run at once
    kNode,    // the node or one of its volumes changes, or another node registers
    kVolume,  // an allocation with a volume ends, so another one may write to the volume
    kDevice,  // an allocation with devices ends
  };

  What what = What::kRoom;
  int port = 0;
  JobKey job = {};
  std::string address = {};  // the address of `port`; empty if unknown
  GroupNeeds least = {};     // the resources that kRoom and kPort wait for; all 0 if unknown
  // The priority of a job that may take the resources of allocations with a lower one; 0 if it may
  // not.
  int displaces = 0;

  bool NeedsRoom() const { return what == What::kRoom || what == What::kPort; }

  auto operator<=>(const Awaited&) const = default;
};

// The reason why an allocation of a group could not be placed.
struct NoPlace {
  PlacementFailure failure;
  Awaited awaited;
};

// The events that have occurred since the last walk over the BlockedQueue. Freed memory and CPU are
// not listed, since every walk checks them.
struct Freed {
  bool all = false;            // the node has changed, so each awaited event may have occurred
  bool other_ports = false;    // processes outside Drover may have freed ports, too
  std::set<int> ports = {};    // freed port numbers, on any address
  std::set<JobKey> jobs = {};  // jobs with an allocation that has ended
  bool volumes = false;        // an allocation with a volume has ended
  bool devices = false;        // an allocation with devices has ended
  bool rules = false;          // how allocations are placed has changed
};

}  // namespace drover
