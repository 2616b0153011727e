// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"

namespace drover {

// Reports STATE to the service manager that started this process (systemd, Type=notify). STATE has
// lines such as "READY=1", as in sd_notify(3). Does nothing if $NOTIFY_SOCKET is not set. Waits at
// most one second. [any thread]
Status NotifyServiceManager(const std::string& state);
// Calls NotifyServiceManager and logs its error.
void NotifyOrWarn(const std::string& state);

// Returns the state by which a service reports that it reloads its configuration. The state
// "READY=1" reports the end of the reload.
std::string ReloadingState();

}  // namespace drover
