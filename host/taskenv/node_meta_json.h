// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "host/taskenv/node_meta.h"

namespace drover {

// {"rack":"7","zone":null}: the form for clients, and the form in which the changes are stored.
nlohmann::json EncodeMetaChanges(const NodeMeta::Changes& changes);
// kInvalidArgument: JSON is not an object, or a value is neither a text nor null.
Result<NodeMeta::Changes> DecodeMetaChanges(const nlohmann::json& json);

}  // namespace drover
