// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/spec/job.h"

namespace drover {

// True if tasks must not inherit this variable of the agent's environment: credentials, the service
// manager's information for the agent, and variables that change how programs are loaded. Ignores
// case.
bool IsDeniedHostVariable(std::string_view name);

// True if VALUE contains a URL with a password, as in postgres://user:password@host/name.
bool HasPassword(std::string_view value);

// True if a task with a root of its own inherits the variable: the path of programs, language and
// time zone.
bool IsForIsolatedTasks(std::string_view name);

// The agent's environment without denied variables and without those that contain a password.
// Reads `environ`, so it must be called before other threads start.
StringMap ReadHostEnv();

}  // namespace drover
