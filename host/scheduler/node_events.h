// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/scheduler/records.h"

// What operators see of the past of a node, in the words that they know.
namespace drover {

// So many are kept of a node.
inline constexpr std::size_t kMaxNodeEvents = 10;

void AddEvent(NodeRecord* node, NodeEvent event);

// What NODE, which has just registered, has become since BEFORE, whose events it takes over: null
// is one that was not known. A driver that has just been loaded is no event.
void AddRegistration(NodeRecord* node, const NodeRecord* before, WallTime now);
// That it takes new allocations, or does not any more.
void AddEligibility(NodeRecord* node, WallTime now);

}  // namespace drover
