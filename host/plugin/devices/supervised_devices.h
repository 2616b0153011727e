// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/base/listener_list.h"
#include "host/device/device_source.h"

namespace drover {

class LoadedDevices;
class SupervisedDriver;

// The devices of a plugin, while its instances replace each other. What one instance has reported
// stays until the next one reports, but is unhealthy while the plugin is. A call that meets the
// replacement of an instance fails with a recoverable error. Control thread only.
class SupervisedDevices : public DeviceSource {
 public:
  // DRIVER owns this object.
  explicit SupervisedDevices(SupervisedDriver* driver) : driver_(driver) {}

  const std::string& plugin() const override;
  const DeviceGroups& devices() const override { return groups_; }
  Subscription OnDevices(std::function<void()> changed) override {
    return listeners_.Add(std::move(changed));
  }
  Co<Result<DeviceReservation>> Reserve(Context context, AllocatedDevice device) override;
  Co<Status> FollowDeviceStats(Context context, Duration interval,
                               std::function<void(DeviceStats)> sink) override;

  // The driver calls this when another instance is in charge.
  void TakeCharge();
  // The driver calls this when its health or its state has changed.
  void Update();

 private:
  Error NoDevices() const;

  SupervisedDriver* const driver_;
  DeviceGroups last_;    // as the newest instance that has reported any
  DeviceGroups groups_;  // the same, with the health of the plugin
  Subscription changes_;
  ListenerList<> listeners_;
};

}  // namespace drover
