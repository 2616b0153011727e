// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "host/base/listener_list.h"
#include "host/base/loop.h"
#include "host/device/device_source.h"

namespace drover {

// The devices of this machine, which several plugins offer. Control thread only.
class DeviceManager {
 public:
  // REPORT receives what is wrong with the plugins. LOOP and SOURCES must outlive this object.
  DeviceManager(Loop* loop, std::vector<DeviceSource*> sources,
                std::function<void(const std::string&)> report);
  DeviceManager(const DeviceManager&) = delete;
  DeviceManager& operator=(const DeviceManager&) = delete;

  // Returns the devices of all plugins, in the order of the plugins. If two plugins offer the same
  // group, only the first has it, and the other is reported once.
  DeviceGroups Groups();
  // Calls CHANGED after each change of the devices.
  [[nodiscard]] Subscription OnChange(std::function<void()> changed) {
    return listeners_.Add(std::move(changed));
  }

  // Returns what a task needs to use DEVICES, from the plugins that offer them. Waits at most
  // kAppearLimit for a plugin that does not offer them yet: it may be starting. The errors name the
  // devices and the plugin.
  Co<Result<DeviceReservation>> Reserve(Context context, std::vector<AllocatedDevice> devices);

  // Measures all devices now. A plugin that has not answered after kMeasureLimit is left out, as
  // is one without statistics. Nothing is measured while nobody asks.
  Co<DeviceStats> Measure(Context context);
  // Measures only DEVICES, and asks only the plugins that offer them.
  Co<DeviceStats> MeasureOnly(Context context, std::vector<AllocatedDevice> devices);
  static constexpr Duration kMeasureLimit = 2s;
  static constexpr Duration kAppearLimit = 10s;

 private:
  DeviceSource* FindSource(const DeviceName& group) const;
  // Returns null if no plugin offers GROUP in time.
  Co<DeviceSource*> AwaitSource(Context context, DeviceName group);
  static Co<void> MeasureOne(Context context, DeviceSource* source, DeviceStats* out);
  Co<DeviceStats> MeasureEach(Context context, std::vector<DeviceSource*> sources);

  Loop* const loop_;
  const std::vector<DeviceSource*> sources_;
  const std::function<void(const std::string&)> report_;
  std::set<std::string> reported_;
  std::vector<Subscription> changes_;
  ListenerList<> listeners_;
};

}  // namespace drover
