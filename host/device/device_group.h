// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/device/device_value.h"
#include "host/spec/blocks/device.h"

namespace drover {

// One device of the machine.
struct DeviceInstance {
  std::string id;  // unique in its group, and the same after each start of the agent
  bool healthy = false;
  std::string health_description = {};
  std::string pci_bus_id = {};  // where it is; empty if it is on no bus

  bool operator==(const DeviceInstance&) const = default;
};

// Devices that differ only in their ids, as a plugin reports them.
struct DeviceGroup {
  DeviceName name;
  std::map<std::string, DeviceValue> attributes = {};
  std::vector<DeviceInstance> instances = {};

  bool operator==(const DeviceGroup&) const = default;
};
using DeviceGroups = std::vector<DeviceGroup>;

// A measured value of a device.
struct DeviceStat {
  std::string name;
  DeviceValue value;
  std::string description = {};

  bool operator==(const DeviceStat&) const = default;
};
struct DeviceInstanceStats {
  std::string id;
  WallTime timestamp = 0;
  std::optional<DeviceStat> summary = {};  // the value that says most about the device
  std::vector<DeviceStat> values = {};
};
struct DeviceGroupStats {
  DeviceName name;
  std::vector<DeviceInstanceStats> instances = {};
};
using DeviceStats = std::vector<DeviceGroupStats>;

// Returns those of STATS that are of DEVICES.
DeviceStats StatsOf(const DeviceStats& stats, const std::vector<AllocatedDevice>& devices);

// The most that one plugin may report. A plugin is not trusted to be correct.
inline constexpr std::size_t kMostDeviceGroups = 256;
inline constexpr std::size_t kMostDeviceInstances = 4096;  // of all its groups
inline constexpr std::size_t kMostDeviceValues = 256;  // attributes, or statistics of one device

// Checks the groups of one plugin: their names, their ids, and how many there are. The error names
// the first mistake.
Status CheckDeviceGroups(const DeviceGroups& groups);
// The same for statistics.
Status CheckDeviceStats(const DeviceStats& stats);

// Makes all devices of GROUPS unhealthy, for the reason WHY.
void MarkUnhealthy(const std::string& why, DeviceGroups* groups);

}  // namespace drover
