// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <set>
#include <string>

#include "host/scheduler/node_capacity.h"

namespace drover {

// What a group that has no place waits for. Until that has come, another look at it says the same.
struct Awaited {
  enum class What {
    kRoom,  // as much as `least`
    kPort,  // PORT, or any if it is 0, and room for `least`
    kEnd,   // of an allocation of JOB, which must not be beside the next one
    kNode,  // another node, or another state of this one
  };

  What what = What::kRoom;
  int port = 0;
  JobKey job = {};
  std::string address = {};  // of the port; empty: who has it cannot be said beforehand
  GroupNeeds least = {};     // of kRoom and kPort; nothing: how much cannot be said beforehand

  bool NeedsRoom() const { return what == What::kRoom || what == What::kPort; }

  auto operator<=>(const Awaited&) const = default;
};

// Why a group has no place.
struct NoPlace {
  PlacementFailure failure;
  Awaited awaited;
};

// What has come beside room since what waits was looked at last.
struct Freed {
  bool all = false;            // anything: the node has changed
  bool other_ports = false;    // also ports that others than allocations have had, perhaps
  std::set<int> ports = {};    // of any address
  std::set<JobKey> jobs = {};  // of which an allocation has ended
};

}  // namespace drover
