// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/spec/blocks/task_template.h"
#include "host/task/task_hook.h"

namespace drover {

// Runs SCRIPT in the task of CONTROL, without input and output, and returns when it has ended or
// its time is over. Success is the exit code 0.
Co<Status> RunChangeScript(Context context, std::shared_ptr<TaskControl> control,
                           TemplateScript script);

}  // namespace drover
