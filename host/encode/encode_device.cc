// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode_device.h"

#include <cstdint>
#include <utility>

#include "host/base/time.h"

namespace drover {
namespace {

using nlohmann::json;

// The names under which the clients' types have a value, by its type.
struct ValueKeys {
  const char* text;
  const char* whole;
  const char* number;
  const char* flag;
};
constexpr ValueKeys kAttributeKeys = {"String", "Int", "Float", "Bool"};
constexpr ValueKeys kStatKeys = {"StringVal", "IntNumeratorVal", "FloatNumeratorVal", "BoolVal"};

json EncodeValue(const DeviceValue& value, const ValueKeys& keys) {
  json out = {{"Unit", value.unit}};
  if (const auto* text = std::get_if<std::string>(&value.value)) out[keys.text] = *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value.value)) out[keys.whole] = *whole;
  if (const auto* number = std::get_if<double>(&value.value)) out[keys.number] = *number;
  if (const auto* flag = std::get_if<bool>(&value.value)) out[keys.flag] = *flag;
  return out;
}

json EncodeStat(const DeviceStat& stat) {
  json out = EncodeValue(stat.value, kStatKeys);
  out["Desc"] = stat.description;
  return out;
}

json EncodeName(const DeviceName& name) {
  return {{"Vendor", name.vendor}, {"Type", name.type}, {"Name", name.name}};
}

json EncodeInstance(const DeviceInstance& instance) {
  json place;
  if (!instance.pci_bus_id.empty()) place = {{"PciBusID", instance.pci_bus_id}};
  return {{"ID", instance.id},
          {"Healthy", instance.healthy},
          {"HealthDescription", instance.health_description},
          {"Locality", std::move(place)}};
}

json EncodeInstanceStats(const DeviceInstanceStats& stats) {
  json attributes = json::object();
  for (const DeviceStat& stat : stats.values) attributes[stat.name] = EncodeStat(stat);
  return {{"Summary", stats.summary ? EncodeStat(*stats.summary) : json(nullptr)},
          {"Stats", {{"Nested", nullptr}, {"Attributes", std::move(attributes)}}},
          {"Timestamp", Rfc3339(stats.timestamp)}};
}

}  // namespace

json EncodeDeviceGroups(const DeviceGroups& groups) {
  json out = json::array();
  for (const DeviceGroup& group : groups) {
    json& one = out.emplace_back(EncodeName(group.name));
    json attributes = json::object(), instances = json::array();
    for (const auto& [name, value] : group.attributes) {
      attributes[name] = EncodeValue(value, kAttributeKeys);
    }
    for (const DeviceInstance& instance : group.instances) {
      instances.push_back(EncodeInstance(instance));
    }
    one["Attributes"] = std::move(attributes);
    one["Instances"] = std::move(instances);
  }
  return out.empty() ? json(nullptr) : out;
}

json EncodeAllocatedDevices(const Allocation& alloc, const std::string& task) {
  const auto of_task = alloc.devices.find(task);
  if (of_task == alloc.devices.end()) return nullptr;
  json out = json::array();
  for (const AllocatedDevice& device : of_task->second) {
    json& one = out.emplace_back(EncodeName(device.group));
    one["DeviceIDs"] = device.ids;
  }
  return out;
}

json EncodeDeviceStats(const DeviceStats& stats) {
  json out = json::array();
  for (const DeviceGroupStats& group : stats) {
    json& one = out.emplace_back(EncodeName(group.name));
    json& instances = one["InstanceStats"] = json::object();
    for (const DeviceInstanceStats& instance : group.instances) {
      instances[instance.id] = EncodeInstanceStats(instance);
    }
  }
  return out;
}

}  // namespace drover
