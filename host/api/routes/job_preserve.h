// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace drover {

// What of a job stays as it is when another version of it is registered.
struct Preserved {
  bool counts = false;     // of its groups
  bool resources = false;  // of its tasks
};

// SENT, which may be anything, with WHAT of the groups and tasks that BEFORE, a job as it is told,
// has by the same names.
nlohmann::json Preserve(nlohmann::json sent, const nlohmann::json& before, Preserved what);

}  // namespace drover
