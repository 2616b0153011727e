// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"

namespace drover {

// Reports STATE to the service manager that started this process (systemd, Type=notify). STATE has
// lines such as "READY=1", as in sd_notify(3). Without $NOTIFY_SOCKET it does nothing. Waits a
// second at most. [any thread]
Status NotifyServiceManager(const std::string& state);
// The same, and logs an error.
void NotifyOrWarn(const std::string& state);

// The state of a service that is reloading its configuration; READY=1 ends it.
std::string ReloadingState();

}  // namespace drover
