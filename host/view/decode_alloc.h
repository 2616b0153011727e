// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/spec/allocation.h"
#include "host/task/task_state.h"

namespace drover {

// Decodes the parts of an agent's allocation that the views show: ids, ports and states, but not
// the job. A field that is missing or has another type stays empty.
Allocation DecodeAlloc(const nlohmann::json& alloc);
std::map<std::string, TaskStateRecord> DecodeTaskStates(const nlohmann::json& states);

}  // namespace drover
