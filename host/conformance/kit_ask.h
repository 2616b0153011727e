// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/conformance/kit_case.h"

// Calls of optional parts of a driver, reduced to one answer.
namespace drover {

// Calls stats. Returns OK if a sample arrives. Otherwise returns the status with which the stream
// ended, or nothing after 2.9 s.
Co<std::optional<Status>> AskStats(KitCase* kit, LoadedDriver* driver, RunId run);

// Calls exec. Returns OK if the command ends with the expected exit code, and nothing after 3 s.
Co<std::optional<Status>> AskExec(KitCase* kit, LoadedDriver* driver, RunId run);

}  // namespace drover
