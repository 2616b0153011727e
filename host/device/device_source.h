// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/base/callback_list.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/device/device_group.h"
#include "host/device/device_reservation.h"

namespace drover {

// A plugin that offers devices. Every method is for the control thread and returns without
// blocking. A coroutine ends early, with the error of its context, when the context ends.
class DeviceSource {
 public:
  virtual ~DeviceSource() = default;

  // The name of the plugin, for messages.
  virtual const std::string& plugin() const = 0;
  // The devices that the plugin has reported last, already checked. Empty until it has reported
  // any, and for a plugin without devices. If the plugin cannot be used, all are unhealthy.
  virtual const DeviceGroups& devices() const = 0;
  // Calls CHANGED after each change of devices().
  [[nodiscard]] virtual Subscription OnDevices(std::function<void()> changed) = 0;
  // Returns what a task needs to use DEVICE, already checked. The plugin may be asked again for
  // the same devices, before each start of the task.
  virtual Co<Result<DeviceReservation>> Reserve(Context context, AllocatedDevice device) = 0;
  // Calls SINK with statistics of the devices, at once and then at each interval, until CONTEXT
  // ends. SINK is not called after the return.
  virtual Co<Status> FollowDeviceStats(Context context, Duration interval,
                                       std::function<void(DeviceStats)> sink) = 0;
};

}  // namespace drover
