// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace drover {

// The parts of a job that do not change when another version of the job is registered.
struct Preserved {
  bool counts = false;     // the counts of the job's groups
  bool resources = false;  // the resources of the job's tasks
};

// Returns SENT with the parts WHAT from BEFORE. The function copies these parts between groups and
// tasks of the same name. SENT may be any JSON. BEFORE must be a job as clients read it.
nlohmann::json Preserve(nlohmann::json sent, const nlohmann::json& before, Preserved what);

}  // namespace drover
