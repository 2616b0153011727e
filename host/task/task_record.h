// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/task/local_state.h"
#include "host/task/task_state.h"

// The stored form of a task's state, as JSON. A missing field gets its default, and an unknown
// field is ignored. So the records of other versions can be read. Errors are kInvalidArgument.
namespace drover {

nlohmann::json EncodeTaskState(const TaskStateRecord& state);
Result<TaskStateRecord> DecodeTaskState(const nlohmann::json& json);

// Leaves out the configuration of the run, which is made again after a restore.
nlohmann::json EncodeLocalState(const LocalState& state);
Result<LocalState> DecodeLocalState(const nlohmann::json& json);

}  // namespace drover
