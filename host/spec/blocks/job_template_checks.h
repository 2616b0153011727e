// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/spec/blocks/task_template.h"
#include "host/spec/job_place.h"

namespace drover {

// Adds the faults of a task's templates. AT is the place of the list. [part of CheckJob]
void CheckTemplates(const std::vector<TaskTemplate>& templates, const JobPlace& at);
// Adds a warning at each part of the templates that is accepted, but has no effect.
void WarnOfTemplates(const std::vector<TaskTemplate>& templates, const JobPlace& at);

}  // namespace drover
