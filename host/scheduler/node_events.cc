// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/node_events.h"

#include <utility>

namespace drover {

void AddEvent(NodeRecord* node, NodeEvent event) {
  node->events.push_back(std::move(event));
  if (node->events.size() > kMaxNodeEvents) node->events.erase(node->events.begin());
}

void AddRegistration(NodeRecord* node, const NodeRecord* before, WallTime now) {
  if (before == nullptr) return AddEvent(node, {"Cluster", "Node registered", {}, now});
  node->events = before->events;
  if (before->version.empty()) {  // BEFORE was restored from the store
    AddEvent(node, {"Cluster", "Node re-registered", {}, now});
    return;  // a restored node has no drivers to compare with
  }
  for (const auto& [name, driver] : node->drivers) {
    const auto known = before->drivers.find(name);
    if (known == before->drivers.end()) continue;
    const DriverRecord& old = known->second;
    if (old.healthy == driver.healthy && old.detected == driver.detected) continue;
    AddEvent(node, {"Driver", driver.description, {{"driver", name}}, now});
  }
}

void AddEligibility(NodeRecord* node, WallTime now) {
  AddEvent(node, {"Cluster",
                  node->eligible ? "Node marked as eligible for scheduling"
                                 : "Node marked as ineligible for scheduling",
                  {},
                  now});
}

}  // namespace drover
