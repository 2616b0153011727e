// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_service.h"

#include <algorithm>
#include <string_view>

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kUuidSize = 36;

}  // namespace

std::string ConsulIdPrefixOf(const std::string& alloc_id) {
  return kConsulIdPrefix + alloc_id + "-";
}

std::string AllocOfConsulId(const std::string& id) {
  constexpr std::string_view kPrefix = kConsulIdPrefix;
  const bool fits = id.starts_with(kPrefix) && id.size() > kPrefix.size() + kUuidSize &&
                    id[kPrefix.size() + kUuidSize] == '-';
  return fits ? id.substr(kPrefix.size(), kUuidSize) : "";
}

json ConsulRegistration(const ConsulService& service) {
  json body = {{"ID", service.id},
               {"Name", service.name},
               {"Tags", service.tags},
               {"Meta", service.meta},
               {"Address", service.address},
               {"Port", service.port},
               {"EnableTagOverride", service.enable_tag_override}};
  body["Weights"] = {{"Passing", service.weights.passing}, {"Warning", service.weights.warning}};
  json tagged = json::object();
  for (const auto& [name, address] : service.tagged_addresses) {
    tagged[name] = {{"Address", address.ip}, {"Port", address.port}};
  }
  if (!tagged.empty()) body["TaggedAddresses"] = std::move(tagged);
  json checks = json::array();
  for (const ConsulCheck& check : service.checks) {
    json definition = check.definition;
    definition["CheckID"] = check.id;
    checks.push_back(std::move(definition));
  }
  body["Checks"] = std::move(checks);
  return body;
}

bool SameConsulService(const ConsulService& wanted, const ConsulService& found) {
  const auto is_found = [&found](const auto& entry) {
    const auto at = found.tagged_addresses.find(entry.first);
    return at != found.tagged_addresses.end() && at->second == entry.second;
  };
  return wanted.id == found.id && wanted.name == found.name && wanted.meta == found.meta &&
         (wanted.enable_tag_override || wanted.tags == found.tags) &&
         wanted.enable_tag_override == found.enable_tag_override &&
         wanted.address == found.address && wanted.port == found.port &&
         wanted.weights == found.weights &&
         std::all_of(wanted.tagged_addresses.begin(), wanted.tagged_addresses.end(), is_found);
}

bool SameConsulChecks(const ConsulService& wanted, const std::set<std::string>& found) {
  std::set<std::string> ids;
  for (const ConsulCheck& check : wanted.checks) ids.insert(check.id);
  std::set<std::string> ours;
  for (const std::string& id : found) {
    if (id.starts_with(kConsulCheckPrefix)) ours.insert(id);
  }
  return ids == ours;
}

}  // namespace drover
