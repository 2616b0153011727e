// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/scaling_view.h"

#include <nlohmann/json.hpp>

#include "host/view/json_fields.h"

namespace drover {

std::string ScalingTarget(const nlohmann::json& policy) {
  std::string text;
  for (const char* part : {"Namespace", "Job", "Group", "Task"}) {
    const std::string value = TextField(MapField(policy, "Target"), part);
    if (!value.empty()) text += (text.empty() ? "" : ",") + std::string(part) + ":" + value;
  }
  return text;
}

}  // namespace drover
