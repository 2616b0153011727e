// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <variant>

#include "host/cluster/go_time.h"
#include "host/cluster/wire_records.h"

namespace drover {
namespace {

using nlohmann::json;

json WireDrivers(const NodeRecord& node) {
  json out = json::object();
  for (const auto& [name, driver] : node.drivers) {
    out[name] = {{"Attributes", driver.attributes},
                 {"Detected", driver.detected},
                 {"Healthy", driver.healthy},
                 {"HealthDescription", driver.description},
                 {"UpdateTime", WriteGoTime(driver.update_time)}};
  }
  return out;
}

// Returns the attributes, with one per driver by which older servers find it.
json WireAttributes(const NodeRecord& node) {
  StringMap attributes = node.attributes;
  for (const auto& [name, driver] : node.drivers) {
    if (driver.detected) attributes.emplace("driver." + name, "1");
  }
  return attributes;
}

// Returns the networks that plugins of the node make, as pairs of mode and device.
std::vector<std::pair<std::string, std::string>> MadeNetworks(const NodeRecord& node) {
  std::vector<std::pair<std::string, std::string>> made;
  const std::string prefix = NetworkAttribute("");
  for (auto one = node.attributes.lower_bound(prefix);
       one != node.attributes.end() && one->first.starts_with(prefix); ++one) {
    made.emplace_back(one->first.substr(prefix.size()), one->second);
  }
  return made;
}

// Returns the networks, one entry for each address. Each job needs an entry of the mode host. The
// loopback interface is one only if there is no other.
json WireNetworks(const NodeRecord& node) {
  const bool others =
      std::ranges::any_of(node.interfaces, [](const auto& of) { return !of.loopback; });
  json out = json::array();
  for (const NodeInterface& of : node.interfaces) {
    if (of.loopback && others) continue;
    for (const NodeInterface::Address& address : of.addresses) {
      out.push_back({{"Mode", "host"},
                     {"Device", of.device},
                     {"CIDR", address.text + (address.ipv6 ? "/128" : "/32")},
                     {"IP", address.text},
                     {"MBits", of.mbits}});
    }
  }
  return out;
}

json WireNodeNetworks(const NodeRecord& node) {
  json out = json::array();
  for (const NodeInterface& of : node.interfaces) {
    json addresses = json::array();
    for (const NodeInterface::Address& address : of.addresses) {
      addresses.push_back({{"Family", address.ipv6 ? "ipv6" : "ipv4"},
                           {"Alias", of.leads_out ? "default" : ""},
                           {"Address", address.text},
                           {"ReservedPorts", ""},
                           {"Gateway", ""}});
    }
    out.push_back({{"Mode", "host"},
                   {"Device", of.device},
                   {"MacAddress", of.mac},
                   {"Speed", of.mbits},
                   {"Addresses", std::move(addresses)}});
  }
  for (const auto& [mode, device] : MadeNetworks(node)) {
    out.push_back({{"Mode", mode},
                   {"Device", device},
                   {"MacAddress", ""},
                   {"Speed", 0},
                   {"Addresses", json::array()}});
  }
  return out;
}

// Returns the cores with their speeds. Without them servers fail each time they look at the node.
// Cores that no task may reserve are disabled. The sum over all is given apart, so it is exact.
json WireTopology(const NodeRecord& node) {
  std::set<int> usable(node.core_ids.begin(), node.core_ids.end());
  std::set<int> all = usable;
  for (int id = 0; static_cast<int>(all.size()) < node.cores; ++id) all.insert(id);
  if (usable.empty()) usable = all;
  const std::int64_t speed = node.cpu_mhz / static_cast<std::int64_t>(all.size());
  json cores = json::array();
  for (const int id : all) {
    cores.push_back({{"SocketID", 0},
                     {"NodeID", 0},
                     {"ID", id},
                     {"Grade", true},
                     {"Disable", !usable.contains(id)},
                     {"BaseSpeed", speed},
                     {"MaxSpeed", 0},
                     {"GuessSpeed", 0}});
  }
  return {{"Cores", std::move(cores)},
          {"OverrideTotalCompute", node.cpu_mhz},
          {"OverrideWitholdCompute", 0}};
}

json WireDeviceValue(const DeviceValue& value) {
  json out = {{"Unit", value.unit}};
  if (const auto* text = std::get_if<std::string>(&value.value)) out["String"] = *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value.value)) out["Int"] = *whole;
  if (const auto* number = std::get_if<double>(&value.value)) out["Float"] = *number;
  if (const auto* flag = std::get_if<bool>(&value.value)) out["Bool"] = *flag;
  return out;
}

json WireDevices(const DeviceGroups& groups) {
  json out = json::array();
  for (const DeviceGroup& group : groups) {
    json attributes = json::object(), instances = json::array();
    for (const auto& [name, value] : group.attributes) attributes[name] = WireDeviceValue(value);
    for (const DeviceInstance& instance : group.instances) {
      json place;
      if (!instance.pci_bus_id.empty()) place = {{"PciBusID", instance.pci_bus_id}};
      instances.push_back({{"ID", instance.id},
                           {"Healthy", instance.healthy},
                           {"HealthDescription", instance.health_description},
                           {"Locality", std::move(place)}});
    }
    out.push_back({{"Vendor", group.name.vendor},
                   {"Type", group.name.type},
                   {"Name", group.name.name},
                   {"Instances", std::move(instances)},
                   {"Attributes", std::move(attributes)}});
  }
  return out;
}

json WireHostVolumes(const NodeRecord& node) {
  json out = json::object();
  for (const auto& [name, volume] : node.host_volumes) {
    out[name] = {{"Name", name}, {"Path", volume.path}, {"ReadOnly", volume.read_only}, {"ID", ""}};
  }
  return out;
}

// Returns the resources in the current form.
json WireNodeResources(const NodeRecord& node, json networks) {
  for (const auto& [mode, device] : MadeNetworks(node)) {
    networks.push_back({{"Mode", mode}, {"Device", device}});
  }
  return {{"Processors", {{"Topology", WireTopology(node)}}},
          {"Cpu",
           {{"CpuShares", node.cpu_mhz},
            {"TotalCpuCores", node.cores},
            {"ReservableCpuCores", node.core_ids}}},
          {"Memory", {{"MemoryMB", node.memory_mb}}},
          {"Disk", {{"DiskMB", node.disk_mb}}},
          {"Networks", std::move(networks)},
          {"NodeNetworks", WireNodeNetworks(node)},
          {"Devices", WireDevices(node.devices)},
          {"MinDynamicPort", node.min_dynamic_port},
          {"MaxDynamicPort", node.max_dynamic_port}};
}

// Returns the member of NODE without which a server refuses it, or places nothing there; null if
// all are there.
const char* MissingMember(const NodeRecord& node) {
  if (node.id.empty()) return "its id";
  if (node.name.empty()) return "its name";
  if (node.datacenter.empty()) return "its datacenter";
  if (!node.attributes.contains("nomad.version")) return "the attribute nomad.version";
  if (node.cores < 1 || node.cpu_mhz < 1) return "its processors";
  if (node.memory_mb < 1) return "its memory";
  if (node.disk_mb < 1) return "the size of its disk";
  return nullptr;
}

}  // namespace

Result<json> WireNode(const NodeRecord& node, const std::string& secret_id) {
  const auto refused = [](const std::string& why) {
    return Error(Code::kFailedPrecondition, "the node cannot register with the servers: " + why);
  };
  if (const char* missing = MissingMember(node))
    return refused(missing + std::string(" is missing"));
  if (secret_id.empty()) return refused("its secret id is missing");
  if (node.node_pool == "all") return refused("no node can be in the node pool \"all\"");
  json networks = WireNetworks(node);
  if (networks.empty()) return refused("it has no network interface with an address");
  return json{{"ID", node.id},
              {"SecretID", secret_id},
              {"Name", node.name},
              {"Datacenter", node.datacenter},
              {"NodePool", node.node_pool},
              {"NodeClass", node.node_class},
              {"HTTPAddr", node.http_address},
              {"TLSEnabled", node.tls},
              {"Attributes", WireAttributes(node)},
              {"Meta", node.meta},
              {"Drivers", WireDrivers(node)},
              {"Resources",
               {{"CPU", node.cpu_mhz},
                {"MemoryMB", node.memory_mb},
                {"DiskMB", node.disk_mb},
                {"Networks", networks}}},
              {"Reserved",
               {{"CPU", node.reserved_cpu_mhz},
                {"MemoryMB", node.reserved_memory_mb},
                {"DiskMB", node.reserved_disk_mb}}},
              {"NodeResources", WireNodeResources(node, std::move(networks))},
              {"ReservedResources",
               {{"Cpu", {{"CpuShares", node.reserved_cpu_mhz}}},
                {"Memory", {{"MemoryMB", node.reserved_memory_mb}}},
                {"Disk", {{"DiskMB", node.reserved_disk_mb}}},
                {"Networks", {{"ReservedHostPorts", node.reserved_ports}}}}},
              {"HostVolumes", WireHostVolumes(node)},
              {"Status", "initializing"},
              {"SchedulingEligibility", node.eligible ? "eligible" : "ineligible"}};
}

}  // namespace drover
