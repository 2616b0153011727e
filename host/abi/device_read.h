// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_device.h"
#include "host/device/device_group.h"
#include "host/device/device_reservation.h"

// Copies what a plugin reports about devices into the host's own types, and checks it. See
// abi_read.h. Any thread.
namespace drover {

Result<DeviceGroups> ReadDevices(const drover_devices* from);
Result<DeviceReservation> ReadReservation(const drover_reserve_result* from);
Result<DeviceStats> ReadDeviceStats(const drover_device_stats* from);

}  // namespace drover
