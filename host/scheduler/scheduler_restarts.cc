// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The restarts of jobs in batches.
#include "host/scheduler/scheduler.h"

namespace drover {

void Scheduler::OnRestart(const std::string&) {}

}  // namespace drover
