// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace drover {

// Returns the reasons why task groups could not be placed, one per line. FAILURES is the field
// FailedTGAllocs of an evaluation.
std::vector<std::string> PlacementFailureLines(const nlohmann::json& failures);

}  // namespace drover
