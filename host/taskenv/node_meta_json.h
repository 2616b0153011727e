// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "host/taskenv/node_meta.h"

namespace drover {

// Returns changes as JSON such as {"rack":"7","zone":null}. Clients use this form, and the agent
// stores the changes in it.
nlohmann::json EncodeMetaChanges(const NodeMeta::Changes& changes);
// Returns kInvalidArgument if JSON is not an object, or if a value is neither a string nor null.
Result<NodeMeta::Changes> DecodeMetaChanges(const nlohmann::json& json);

}  // namespace drover
