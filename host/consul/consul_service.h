// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "host/spec/blocks/service.h"

namespace drover {

// The members of a service's metadata by which an agent knows its own registrations: the id of its
// node, and the task of the service, which is empty for a service of the group.
inline constexpr char kConsulMetaNode[] = "drover-node";
inline constexpr char kConsulMetaOwner[] = "drover-owner";

// How the ids of all services of allocations begin, and those of their checks. Consul also has
// checks of others at a service, such as that of its maintenance mode.
inline constexpr char kConsulIdPrefix[] = "_nomad-task-";
inline constexpr char kConsulCheckPrefix[] = "_nomad-check-";

// Returns how the ids of the services of an allocation begin.
std::string ConsulIdPrefixOf(const std::string& alloc_id);
// Returns the id of the allocation of a service with ID, or an empty text if ID has another form.
std::string AllocOfConsulId(const std::string& id);

struct ConsulAddress {
  std::string ip;
  int port = 0;

  bool operator==(const ConsulAddress&) const = default;
};

// A check of a service as Consul carries it out. A script is a check by TTL: this agent runs it and
// reports its result to Consul.
struct ConsulCheck {
  std::string id;  // another one for each other definition, so a changed check is a new check
  std::string name;
  bool script = false;
  OnUpdate on_update = OnUpdate::kRequireHealthy;
  nlohmann::json definition;  // as Consul reads it, without the id

  bool operator==(const ConsulCheck&) const = default;
};

// A service as it is registered with Consul.
struct ConsulService {
  std::string id;
  std::string name;
  std::vector<std::string> tags;
  bool enable_tag_override = false;  // others may change the tags
  std::map<std::string, std::string> meta;
  std::string address;
  int port = 0;
  std::map<std::string, ConsulAddress> tagged_addresses;
  ServiceWeights weights;
  std::vector<ConsulCheck> checks;

  bool operator==(const ConsulService&) const = default;
};

// Returns the body of the request that registers SERVICE with its checks.
nlohmann::json ConsulRegistration(const ConsulService& service);

// Returns whether FOUND, which Consul has, is what WANTED says, apart from the checks. Consul adds
// tagged addresses of its own.
bool SameConsulService(const ConsulService& wanted, const ConsulService& found);

// Returns whether FOUND, the ids of the checks that Consul has at the service, are those of WANTED.
// Checks of others do not count.
bool SameConsulChecks(const ConsulService& wanted, const std::set<std::string>& found);

}  // namespace drover
