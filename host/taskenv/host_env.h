// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/spec/job.h"

namespace drover {

// Returns true if tasks must not inherit the variable NAME from the agent's environment. Such
// variables contain credentials, contain information from the service manager for the agent only,
// or change how programs are loaded. The case of NAME does not matter.
bool IsDeniedHostVariable(std::string_view name);

// Returns true if VALUE contains a URL with a password, such as
// postgres://user:password@host/name.
bool HasPassword(std::string_view value);

// Returns true if a task with its own root directory inherits the variable NAME from the agent.
// Such variables are the search path for programs, the language and the time zone.
bool IsForIsolatedTasks(std::string_view name);

// Returns the agent's environment, without denied variables and without variables that contain a
// password. Reads `environ`, so it must be called before other threads start.
StringMap ReadHostEnv();

}  // namespace drover
