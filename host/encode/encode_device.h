// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/device/device_group.h"
#include "host/spec/allocation.h"

// Devices as clients read them; see encode.h. [any thread]
namespace drover {

// NodeResources.Devices of a node; null if there are none.
nlohmann::json EncodeDeviceGroups(const DeviceGroups& groups);
// AllocatedResources.Tasks[TASK].Devices; null if the task has none.
nlohmann::json EncodeAllocatedDevices(const Allocation& alloc, const std::string& task);
// DeviceStats of the statistics of a node.
nlohmann::json EncodeDeviceStats(const DeviceStats& stats);

}  // namespace drover
