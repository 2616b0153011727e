// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "drover/codec.hpp"
#include "drover/drover_device.h"

// C++ types of the data in drover_device.h, and their conversion. Their values own their memory.
namespace drover {
inline namespace sdk_v1 {

// An attribute of devices, or a measured value of one.
struct DeviceValue {
  std::string name;
  std::variant<std::string, std::int64_t, double, bool> value;
  std::string unit{};         // of numbers: "MiB", "MHz", "W" and so on; may be empty
  std::string description{};  // what the value says; of statistics only

  bool operator==(const DeviceValue& other) const {
    return name == other.name && value == other.value && unit == other.unit &&
           description == other.description;
  }
};

struct DeviceInstance {
  std::string id;  // the same after each start of the plugin, the agent and the machine
  Health health = Health::kHealthy;
  std::string health_description{};
  std::string pci_bus_id{};

  bool operator==(const DeviceInstance& other) const {
    return id == other.id && health == other.health &&
           health_description == other.health_description && pci_bus_id == other.pci_bus_id;
  }
};

// Devices that differ only in their ids.
struct DeviceGroup {
  std::string vendor;
  std::string type;
  std::string name;
  std::vector<DeviceValue> attributes{};
  std::vector<DeviceInstance> instances{};

  bool operator==(const DeviceGroup& other) const {
    return vendor == other.vendor && type == other.type && name == other.name &&
           attributes == other.attributes && instances == other.instances;
  }
};

// Devices of one group that a task will have.
struct ReserveRequest {
  std::string vendor;
  std::string type;
  std::string name;
  std::vector<std::string> ids;
};

// What a task needs to use its devices.
struct Reservation {
  StringMap env;
  std::vector<Mount> mounts;
  std::vector<Device> devices;
};

struct DeviceInstanceStats {
  std::string id;
  std::int64_t timestamp = WallNow();  // ns since 1970
  std::optional<DeviceValue> summary{};
  std::vector<DeviceValue> values{};
};

struct DeviceGroupStats {
  std::string vendor;
  std::string type;
  std::string name;
  std::vector<DeviceInstanceStats> instances{};
};

namespace abi {

inline drover_device_value View(const DeviceValue& in) {
  auto out = Make<drover_device_value>();
  out.name = Str(in.name);
  out.unit = Str(in.unit);
  out.description = Str(in.description);
  if (const auto* text = std::get_if<std::string>(&in.value)) {
    out.kind = DROVER_VALUE_TEXT;
    out.text = Str(*text);
  } else if (const auto* integer = std::get_if<std::int64_t>(&in.value)) {
    out.kind = DROVER_VALUE_INTEGER;
    out.integer = *integer;
  } else if (const auto* number = std::get_if<double>(&in.value)) {
    out.kind = DROVER_VALUE_NUMBER;
    out.number = *number;
  } else {
    out.kind = DROVER_VALUE_BOOLEAN;
    out.integer = std::get<bool>(in.value) ? 1 : 0;
  }
  return out;
}

inline std::vector<drover_device_value> Views(const std::vector<DeviceValue>& in) {
  std::vector<drover_device_value> out;
  out.reserve(in.size());
  for (const DeviceValue& value : in) out.push_back(View(value));
  return out;
}

template <typename Raw, typename Value>
void NameGroup(const Value& in, Raw* out) {
  out->vendor = Str(in.vendor);
  out->type = Str(in.type);
  out->name = Str(in.name);
}

// Each of the next three functions converts a value to a C struct and calls USE with a pointer to
// it, which is valid until USE returns.
DROVER_SDK_ONCE inline void WithDevices(const std::vector<DeviceGroup>& in, Ref<const void*> use) {
  std::vector<std::vector<drover_device_value>> attributes;
  std::vector<std::vector<drover_device_instance>> instances;
  std::vector<drover_device_group> groups;
  attributes.reserve(in.size());
  instances.reserve(in.size());
  for (const DeviceGroup& group : in) {
    attributes.push_back(Views(group.attributes));
    std::vector<drover_device_instance>& of_group = instances.emplace_back();
    for (const DeviceInstance& item : group.instances) {
      auto instance = Make<drover_device_instance>();
      instance.health = static_cast<std::int32_t>(item.health);
      instance.id = Str(item.id);
      instance.health_description = Str(item.health_description);
      instance.pci_bus_id = Str(item.pci_bus_id);
      of_group.push_back(instance);
    }
    auto out = Make<drover_device_group>();
    NameGroup(group, &out);
    out.attributes = Array(attributes.back());
    out.instances = Array(of_group);
    groups.push_back(out);
  }
  auto message = Make<drover_devices>();
  message.type = DROVER_MESSAGE_DEVICES;
  message.groups = Array(groups);
  use(&message);
}

DROVER_SDK_ONCE inline void WithReservation(const Reservation& in, Ref<const void*> use) {
  std::vector<drover_pair> env = Pairs(in.env);
  std::vector<drover_mount> mounts;
  for (const Mount& item : in.mounts) {
    auto mount = Make<drover_mount>();
    mount.read_only = item.read_only ? 1 : 0;
    mount.task_path = Str(item.task_path);
    mount.host_path = Str(item.host_path);
    mount.propagation = Str(item.propagation);
    mounts.push_back(mount);
  }
  std::vector<drover_device> devices;
  for (const Device& item : in.devices) {
    auto device = Make<drover_device>();
    device.task_path = Str(item.task_path);
    device.host_path = Str(item.host_path);
    device.permissions = Str(item.permissions);
    devices.push_back(device);
  }
  auto out = Make<drover_reserve_result>();
  out.env = Array(env);
  out.mounts = Array(mounts);
  out.devices = Array(devices);
  use(&out);
}

DROVER_SDK_ONCE inline void WithDeviceStats(const std::vector<DeviceGroupStats>& in,
                                            Ref<const void*> use) {
  // The inner vectors do not move their elements when the outer ones grow, so pointers stay valid.
  std::vector<std::vector<drover_device_value>> values;
  std::vector<std::vector<drover_device_value>> summaries;
  std::vector<std::vector<drover_device_instance_stats>> instances;
  std::vector<drover_device_group_stats> groups;
  for (const DeviceGroupStats& group : in) {
    std::vector<drover_device_instance_stats> of_group;
    for (const DeviceInstanceStats& item : group.instances) {
      values.push_back(Views(item.values));
      summaries.emplace_back();
      if (item.summary) summaries.back().push_back(View(*item.summary));
      auto instance = Make<drover_device_instance_stats>();
      instance.id = Str(item.id);
      instance.timestamp = item.timestamp;
      instance.summary = summaries.back().empty() ? nullptr : summaries.back().data();
      instance.values = Array(values.back());
      of_group.push_back(instance);
    }
    instances.push_back(std::move(of_group));
    auto out = Make<drover_device_group_stats>();
    NameGroup(group, &out);
    out.instances = Array(instances.back());
    groups.push_back(out);
  }
  auto message = Make<drover_device_stats>();
  message.type = DROVER_MESSAGE_DEVICE_STATS;
  message.groups = Array(groups);
  use(&message);
}

DROVER_SDK_ONCE inline ReserveRequest DecodeReserve(const drover_reserve_args& in) {
  ReserveRequest out{Text(in.vendor), Text(in.type), Text(in.name), {}};
  EachFixed<drover_str>(in.ids, "the ids",
                        [&](const drover_str* id) { out.ids.push_back(Text(*id)); });
  return out;
}

}  // namespace abi
}  // namespace sdk_v1
}  // namespace drover
