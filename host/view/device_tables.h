// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/view/table.h"

namespace drover {

// The devices that the tasks of ALLOC have. ALLOC is an agent's answer.
TextTable AllocDeviceTable(const nlohmann::json& alloc);
// The devices that plugins of NODE offer, with their health. NODE is an agent's answer.
TextTable NodeDeviceTable(const nlohmann::json& node);

}  // namespace drover
