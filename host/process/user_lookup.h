// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/process/process_spec.h"

namespace drover {

// The user as whom a task must run: a name, or a number in decimal digits. Nothing for an empty
// text, and for the agent's own user when the agent is not root. Asks the system's user database,
// which may block: not for the control thread.
Result<std::optional<ProcessUser>> LookUpUser(const std::string& user);

}  // namespace drover
