// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/ids.h"
#include "host/base/result.h"

namespace drover {

class ProcessService;

// Kills all processes of a run without calling the run's driver. Returns when they have ended.
// Fails with kUnavailable if PROCESSES is null.
Co<Status> KillRun(ProcessService* processes, Context context, RunId run);

}  // namespace drover
