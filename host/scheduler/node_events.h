// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/scheduler/records.h"

// The events of a node that operators see, with Nomad's texts.
namespace drover {

// A node keeps this many events, the newest ones.
inline constexpr std::size_t kMaxNodeEvents = 10;

void AddEvent(NodeRecord* node, NodeEvent event);

// NODE has just registered: takes over the events of BEFORE and adds one for each change since
// then. BEFORE null: the node was not known. A driver that BEFORE did not have makes no event.
void AddRegistration(NodeRecord* node, const NodeRecord* before, WallTime now);
// Adds the event that the node takes new allocations, or does not any more.
void AddEligibility(NodeRecord* node, WallTime now);

}  // namespace drover
