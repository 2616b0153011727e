// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/view/table.h"

namespace drover {

// The devices that the tasks of ALLOC have. ALLOC is an agent's answer.
TextTable AllocDeviceTable(const nlohmann::json& alloc);
// What the devices of the tasks have measured. STATS is an agent's answer for an allocation.
TextTable DeviceStatsTable(const nlohmann::json& stats);
// The devices that plugins of NODE offer, with their health. NODE is an agent's answer.
TextTable NodeDeviceTable(const nlohmann::json& node);

}  // namespace drover
