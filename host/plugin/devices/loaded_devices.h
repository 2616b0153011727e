// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "drover/drover_device.h"
#include "host/base/event.h"
#include "host/base/listener_list.h"
#include "host/device/device_source.h"

namespace drover {

class LoadedDriver;

// The devices that one instance of a plugin offers. The calls go the same way as those of the
// LoadedDriver to which this object belongs. Control thread only.
class LoadedDevices {
 public:
  // DRIVER owns this object. TABLE is the instance's, and has all its functions.
  LoadedDevices(LoadedDriver* driver, const drover_device_plugin* table);
  LoadedDevices(const LoadedDevices&) = delete;
  LoadedDevices& operator=(const LoadedDevices&) = delete;

  // Keeps the stream of devices open until the instance is shut down. Call it once.
  Co<void> Follow();
  // The devices that the instance has reported last; absent until it has reported any. They are
  // unhealthy while the stream is not open.
  const std::optional<DeviceGroups>& told() const { return told_; }
  [[nodiscard]] Subscription OnChange(std::function<void()> changed) {
    return listeners_.Add(std::move(changed));
  }

  // Set when the instance has reported its devices, or cannot.
  Event* first() { return &first_; }

  // See DeviceSource.
  Co<Result<DeviceReservation>> Reserve(Context context, AllocatedDevice device);
  Co<Status> FollowStats(Context context, Duration interval, std::function<void(DeviceStats)> sink);

 private:
  void Lose(const std::string& why);

  LoadedDriver* const driver_;
  const drover_device_plugin* const table_;
  std::optional<DeviceGroups> told_;
  Event first_;
  bool heard_ = false;  // whether the open stream has brought a message
  ListenerList<> listeners_;
};

}  // namespace drover
