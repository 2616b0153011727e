// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"

namespace drover {

// Tells the service manager that has started this process (systemd, Type=notify) what becomes of
// it: STATE is of lines such as "READY=1", as sd_notify(3) has them. Without $NOTIFY_SOCKET nobody
// wants to know, and nothing happens. Waits a second at most. [any thread]
Status NotifyServiceManager(const std::string& state);

// The state of a service that reads its configuration again; READY=1 says that it has.
std::string ReloadingState();

}  // namespace drover
