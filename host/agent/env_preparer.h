// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/task/task_seams.h"
#include "host/taskenv/task_env.h"

namespace drover {

// Makes what drivers are told of tasks on this node. NODE outlives it, and may change between its
// calls. HOST_ENV is what tasks without an own root inherit, CORE_MHZ the frequency of one core (0:
// not known).
std::unique_ptr<TaskPreparer> NewEnvPreparer(const NodeInfo* node, StringMap host_env,
                                             double core_mhz);

}  // namespace drover
