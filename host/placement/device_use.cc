// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/device_use.h"

#include <utility>

namespace drover {
namespace {

bool Has(const DevicesInUse& devices, const DeviceName& group, const std::string& id) {
  const auto of_group = devices.find(group);
  return of_group != devices.end() && of_group->second.contains(id);
}

}  // namespace

DeviceFit DeviceUse::Take(const NodeRecord& node, const NodeUsage* usage, const TaskGroup& group,
                          AllocatedDevices* out) {
  if (!WantsDevices(group)) return DeviceFit::kFits;
  const IsFreeDevice is_free = [&](const DeviceName& name, const std::string& id) {
    if (Has(taken_, name, id)) return false;
    return usage == nullptr || Has(given_, name, id) || !Has(usage->devices, name, id);
  };
  std::optional<AllocatedDevices> chosen = ChooseDevices(node.devices, group, is_free);
  if (!chosen) {
    const bool there =
        ChooseDevices(node.devices, group, [](const DeviceName&, const std::string&) {
          return true;
        }).has_value();
    return there ? DeviceFit::kBusy : DeviceFit::kMissing;
  }
  for (const auto& [task, devices] : *chosen) {
    for (const AllocatedDevice& device : devices) {
      taken_[device.group].insert(device.ids.begin(), device.ids.end());
    }
  }
  *out = std::move(*chosen);
  return DeviceFit::kFits;
}

void DeviceUse::Give(const Allocation& leaving) {
  for (const auto& [task, devices] : leaving.devices) {
    for (const AllocatedDevice& device : devices) {
      given_[device.group].insert(device.ids.begin(), device.ids.end());
    }
  }
}

}  // namespace drover
