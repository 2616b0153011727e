// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/conformance/kit_case.h"

namespace drover {

// Waits for at most 3 s until the run directory of the host has no other entries than BEFORE.
// Returns an entry that is left, or an empty text.
Co<std::string> AwaitNoNewRuns(KitCase* kit, std::vector<std::string> before);

}  // namespace drover
