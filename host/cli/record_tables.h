// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/cli/table.h"

namespace drover {

// Tables of records that an agent lists.

TextTable AllocTable(const nlohmann::json& stubs, bool full_ids);
// Health checks of one allocation, by their ids.
TextTable CheckTable(const nlohmann::json& checks);
// Evaluations, the newest first.
TextTable EvalTable(const nlohmann::json& evals, bool full_ids);
// The metadata of a node, which come from the configuration or from clients.
TextTable MetaTable(const nlohmann::json& answer);

}  // namespace drover
