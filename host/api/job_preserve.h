// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace drover {

// The parts of a job that stay as they are when another version of it is registered.
struct Preserved {
  bool counts = false;     // of its groups
  bool resources = false;  // of its tasks
};

// Returns SENT, with the parts WHAT of the groups and tasks that have the same names in BEFORE.
// SENT may be any JSON; BEFORE is a job as clients read it.
nlohmann::json Preserve(nlohmann::json sent, const nlohmann::json& before, Preserved what);

}  // namespace drover
