// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/spec/blocks/service_registration.h"
#include "host/state/records.h"

// Nodes, reports and services in the form in which servers exchange them. The maps are for
// WriteMsgpack: their times are bytes, so they are no JSON for clients. [any thread]
namespace drover {

// Returns NODE as Node.Register takes it, with the resources in the current and the older form. The
// status is always initializing, since only a heartbeat makes a node ready. An error
// (kFailedPrecondition) names what is missing: servers place nothing on a node without it, or fail
// each time they look at it.
Result<nlohmann::json> WireNode(const NodeRecord& node, const std::string& secret_id);

// Returns the report of the node NODE_ID about an allocation. It always has the events of all
// tasks, since it replaces what servers have stored.
nlohmann::json WireAllocUpdate(const AllocUpdate& update, const std::string& node_id);

nlohmann::json WireNodeEvent(const NodeEvent& event);
nlohmann::json WireService(const ServiceRegistration& service);

// The answer to a registration and to a heartbeat.
struct NodeUpdateAnswer {
  // Limits for what a server may say, whoever it is.
  static constexpr Duration kShortestTtl = 1s;
  static constexpr Duration kLongestTtl = std::chrono::hours(1);
  static constexpr std::size_t kMostServers = 64;

  Duration heartbeat_ttl = 10s;  // until the next heartbeat, within the limits above
  std::uint64_t index = 0;
  std::string leader;                // its address; empty if the server knows no leader
  std::vector<std::string> servers;  // the addresses of all servers of the region
  int node_count = 0;
  bool eligible = true;
  std::string identity;  // a new token of the node; empty if the old one stays
};
Result<NodeUpdateAnswer> ReadNodeUpdateAnswer(const nlohmann::json& body);

}  // namespace drover
