// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/process/process_spec.h"

namespace drover {

// Returns the user as whom a task must run. USER is a name, or a number in decimal digits. Returns
// nothing if USER is empty, or if the agent is not root and USER is the agent's own user. Reads
// the system's user database, which may block, so it must not be called on the control thread.
Result<std::optional<ProcessUser>> LookUpUser(const std::string& user);

}  // namespace drover
