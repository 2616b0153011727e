// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "host/encode/encode.h"
#include "host/encode/encode_device.h"
#include "host/scheduler/node_class.h"

namespace drover {
namespace {

using nlohmann::json;

json EncodeDrivers(const NodeRecord& node) {
  json out = json::object();
  for (const auto& [name, driver] : node.drivers) {
    out[name] = {{"Attributes", driver.attributes},
                 {"Detected", driver.detected},
                 {"Healthy", driver.healthy},
                 {"HealthDescription", driver.description},
                 {"UpdateTime", Rfc3339(driver.update_time)}};
  }
  return out;
}

// Adds the networks that plugins of the node make. FORM has the fields of an entry.
void AddPluginNetworks(const NodeRecord& node, json form, json* out) {
  const std::string prefix = NetworkAttribute("");
  for (auto one = node.attributes.lower_bound(prefix);
       one != node.attributes.end() && one->first.starts_with(prefix); ++one) {
    form["Mode"] = one->first.substr(prefix.size());
    form["Device"] = one->second;
    out->push_back(form);
  }
}

// Returns an array with one entry for each address at which tasks can be reached. The addresses of
// the loopback interface are used only if there is no other interface.
json EncodeAddresses(const NodeRecord& node) {
  const auto& all = node.interfaces;
  const bool others =
      std::any_of(all.begin(), all.end(), [](const auto& of) { return !of.loopback; });
  json out = json::array();
  for (const NodeInterface& of : all) {
    if (of.loopback && others) continue;
    for (const NodeInterface::Address& address : of.addresses) {
      out.push_back({{"Mode", "host"},
                     {"Device", of.device},
                     {"CIDR", address.text + (address.ipv6 ? "/128" : "/32")},
                     {"IP", address.text},
                     {"MBits", of.mbits},
                     {"ReservedPorts", nullptr},
                     {"DynamicPorts", nullptr}});
    }
  }
  const json form = {{"CIDR", ""},
                     {"IP", ""},
                     {"MBits", 0},
                     {"ReservedPorts", nullptr},
                     {"DynamicPorts", nullptr}};
  AddPluginNetworks(node, form, &out);
  return out;
}

json EncodeInterfaces(const NodeRecord& node) {
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
  AddPluginNetworks(node, {{"MacAddress", ""}, {"Speed", 0}, {"Addresses", json::array()}}, &out);
  return out;
}

json EncodeNodeResources(const NodeRecord& node) {
  return {{"Cpu",
           {{"CpuShares", node.cpu_mhz},
            {"TotalCpuCores", node.cores},
            {"ReservableCpuCores", node.core_ids}}},
          {"Memory", {{"MemoryMB", node.memory_mb}}},
          {"Disk", {{"DiskMB", node.disk_mb}}},
          {"Networks", EncodeAddresses(node)},
          {"NodeNetworks", EncodeInterfaces(node)},
          {"Devices", EncodeDeviceGroups(node.devices)},
          {"MinDynamicPort", node.min_dynamic_port},
          {"MaxDynamicPort", node.max_dynamic_port}};
}

json EncodeReserved(const NodeRecord& node) {
  return {{"Cpu", {{"CpuShares", node.reserved_cpu_mhz}}},
          {"Memory", {{"MemoryMB", node.reserved_memory_mb}}},
          {"Disk", {{"DiskMB", node.reserved_disk_mb}}},
          {"Networks", {{"ReservedHostPorts", node.reserved_ports}}}};
}

// A volume of a client wins over one of the configuration with its name, as it does for tasks.
json EncodeHostVolumes(const NodeRecord& node, const NodeVolumes& volumes) {
  if (node.host_volumes.empty() && volumes.empty()) return nullptr;
  json out = json::object();
  for (const auto& [name, volume] : node.host_volumes) {
    out[name] = {{"Name", name}, {"Path", volume.path}, {"ReadOnly", volume.read_only}, {"ID", ""}};
  }
  for (const auto& volume : volumes) {
    out[volume->name] = {{"Name", volume->name},
                         {"Path", volume->host_path},
                         {"ReadOnly", false},
                         {"ID", volume->id}};
  }
  return out;
}

json EncodeDrain(const std::optional<NodeDrain>& drain) {
  if (!drain) return nullptr;
  return {{"Deadline", drain->deadline.count()},
          {"IgnoreSystemJobs", drain->ignore_system_jobs},
          {"ForceDeadline", Rfc3339(drain->force_at)},
          {"StartedAt", Rfc3339(drain->started_at)}};
}

json EncodeLastDrain(const std::optional<LastDrain>& last) {
  if (!last) return nullptr;
  return {{"StartedAt", Rfc3339(last->started_at)},
          {"UpdatedAt", Rfc3339(last->updated_at)},
          {"Status", last->status},
          {"AccessorID", ""},
          {"Meta", last->meta}};
}

json EncodeEvents(const NodeRecord& node) {
  json out = json::array();
  for (const NodeEvent& event : node.events) {
    out.push_back({{"Message", event.message},
                   {"Subsystem", event.subsystem},
                   {"Details", event.details.empty() ? json(nullptr) : json(event.details)},
                   {"Timestamp", Rfc3339(event.time)},
                   {"CreateIndex", 0}});
  }
  return out;
}

json EncodeCommon(const NodeRecord& node, const NodeVolumes& volumes) {
  return {{"ID", node.id},
          {"Datacenter", node.datacenter},
          {"Name", node.name},
          {"NodePool", node.node_pool},
          {"NodeClass", node.node_class},
          {"SchedulingEligibility", node.eligible ? "eligible" : "ineligible"},
          {"Status", node.status},
          {"StatusDescription", ""},
          {"Drivers", EncodeDrivers(node)},
          {"HostVolumes", EncodeHostVolumes(node, volumes)},
          {"LastDrain", EncodeLastDrain(node.last_drain)},
          {"Drain", node.drain.has_value()},
          {"CreateIndex", node.create_index},
          {"ModifyIndex", node.modify_index}};
}

}  // namespace

HostAndPort SplitAddress(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  HostAndPort parts{address.substr(0, colon), 0};
  if (parts.host.size() > 2 && parts.host.front() == '[' && parts.host.back() == ']') {
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  }
  if (colon != std::string::npos) {
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), parts.port);
  }
  return parts;
}

json EncodeNode(const NodeRecord& node, const NodeVolumes& volumes) {
  json out = EncodeCommon(node, volumes);
  out["HTTPAddr"] = node.http_address;
  out["TLSEnabled"] = node.tls;
  out["Attributes"] = node.attributes;
  out["Meta"] = node.meta;
  out["Links"] = nullptr;
  out["NodeResources"] = EncodeNodeResources(node);
  out["ReservedResources"] = EncodeReserved(node);
  out["Resources"] = {{"CPU", node.cpu_mhz},
                      {"MemoryMB", node.memory_mb},
                      {"DiskMB", node.disk_mb},
                      {"Networks", EncodeAddresses(node)}};
  out["Reserved"] = {{"CPU", node.reserved_cpu_mhz},
                     {"MemoryMB", node.reserved_memory_mb},
                     {"DiskMB", node.reserved_disk_mb}};
  out["DrainStrategy"] = EncodeDrain(node.drain);
  out["StatusUpdatedAt"] = node.status_time / 1'000'000'000;
  out["Events"] = EncodeEvents(node);
  out["HostNetworks"] = nullptr;
  out["CSIControllerPlugins"] = nullptr;
  out["CSINodePlugins"] = nullptr;
  out["SecretID"] = "";
  out["CgroupParent"] = "";
  out["ComputedClass"] = ComputedClass(node);
  return out;
}

json EncodeNodeStub(const NodeRecord& node, bool resources, bool os, const NodeVolumes& volumes) {
  json out = EncodeCommon(node, volumes);
  out["Address"] = SplitAddress(node.http_address).host;
  out["Version"] = node.version;
  out["Attributes"] = nullptr;
  for (const char* name : {"os.name", "os.version"}) {
    const auto found = node.attributes.find(name);
    if (os && found != node.attributes.end()) out["Attributes"][name] = found->second;
  }
  if (resources) {
    out["NodeResources"] = EncodeNodeResources(node);
    out["ReservedResources"] = EncodeReserved(node);
  }
  return out;
}

}  // namespace drover
