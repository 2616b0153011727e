// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/spec/job.h"

namespace drover {

// Whether a variable of the agent's own environment is withheld from the tasks: credentials, the
// service manager's information for the agent, and variables that change how programs are loaded.
// Upper and lower case are the same.
bool IsDeniedHostVariable(std::string_view name);

// Whether VALUE contains a URL with a password, as in postgres://user:password@host/name.
bool HasPassword(std::string_view value);

// Whether a task with a root of its own gets the variable: the path of programs, language and time
// zone.
bool IsForIsolatedTasks(std::string_view name);

// The agent's environment without denied variables and without those that contain a password.
// Reads `environ`, so it must be called before other threads start.
StringMap ReadHostEnv();

}  // namespace drover
