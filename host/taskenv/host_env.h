// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/spec/job.h"

namespace drover {

// Whether a variable of the agent's own environment is kept from the tasks: credentials, what the
// service manager told the agent about itself, and what would change how programs are loaded. Upper
// and lower case are the same.
bool IsDeniedHostVariable(std::string_view name);

// Whether a URL in it has a password, as in postgres://user:password@host/name.
bool HasPassword(std::string_view value);

// Whether a task with a root of its own gets it: where programs are, and how people read and write.
bool IsForIsolatedTasks(std::string_view name);

// The agent's environment without what is denied. Reads `environ`: before other threads start.
StringMap ReadHostEnv();

}  // namespace drover
