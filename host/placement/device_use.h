// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/placement/device_fit.h"
#include "host/state/tables.h"

namespace drover {

// The reasons why a node does not fit a group that wants devices, in the words that clients know.
inline constexpr char kNoDevices[] = "missing devices";
inline constexpr char kDevicesInUse[] = "devices: no devices match request";

enum class DeviceFit {
  kFits,
  kMissing,  // the node has not enough healthy devices of that kind
  kBusy,     // the node has them, and others use them
};

// The devices that allocations use. Tables counts those of placed allocations, this class those
// that an evaluation adds and removes.
class DeviceUse {
 public:
  // Takes devices for an allocation of GROUP, and sets OUT to them, if all are there and free.
  // USAGE is the usage of NODE; null if no allocation is there.
  DeviceFit Take(const NodeRecord& node, const NodeUsage* usage, const TaskGroup& group,
                 AllocatedDevices* out);
  // Makes the devices of LEAVING, which Tables counts, free again.
  void Give(const Allocation& leaving);

 private:
  DevicesInUse taken_;
  DevicesInUse given_;
};

}  // namespace drover
