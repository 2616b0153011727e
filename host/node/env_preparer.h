// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/task/task_seams.h"
#include "host/taskenv/task_env.h"

namespace drover {

// Makes the configurations that drivers receive for the tasks of this node. NODE must outlive the
// preparer and may change between two calls of the preparer. Tasks inherit HOST_ENV unless their
// root is an image. CORE_MHZ is the frequency of one core, or 0 if it is unknown.
std::unique_ptr<TaskPreparer> NewEnvPreparer(const NodeInfo* node, StringMap host_env,
                                             double core_mhz);

}  // namespace drover
