// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/context.h"
#include "host/process/process_service.h"
#include "host/process/shim_connection.h"

namespace drover {

// Starts a command in the run whose process is LEADER. CONNECTION is a new connection to the shim
// of the run. The session owns CONNECTION from now on.
Co<Result<std::unique_ptr<ExecSession>>> StartExecSession(
    Context context, Loop* loop, std::shared_ptr<ShimConnection> connection, pid_t leader,
    ExecSpec spec);

}  // namespace drover
