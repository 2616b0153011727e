// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace drover {

// Returns what POLICY, a scaling policy of an agent's answer, scales, such as
// "Namespace:default,Job:web,Group:front".
std::string ScalingTarget(const nlohmann::json& policy);

}  // namespace drover
