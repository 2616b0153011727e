// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/spec/blocks/task_template.h"
#include "host/spec/job_members.h"

namespace drover {

// Reads one member of Templates.
void ReadTemplate(const JobMembers& in, TaskTemplate* out);
// Returns the member Templates of a task; null if there are none.
nlohmann::json TemplatesToJson(const std::vector<TaskTemplate>& templates);

}  // namespace drover
