// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/state/records.h"

// Events of a node for operators, with the same texts as in Nomad.
namespace drover {

// The maximum number of events of a node. Only the newest events are kept.
inline constexpr std::size_t kMaxNodeEvents = 10;

void AddEvent(NodeRecord* node, NodeEvent event);

// Call this after NODE has registered. BEFORE is the earlier record of the node; null if the node
// was not known. Copies the events of BEFORE to NODE. Adds an event if this agent registers the
// node for the first time. Otherwise, adds an event for each driver that differs from BEFORE.
void AddRegistration(NodeRecord* node, const NodeRecord* before, WallTime now);
// Adds the event that NODE became eligible, or ineligible, for new allocations.
void AddEligibility(NodeRecord* node, WallTime now);

}  // namespace drover
