// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "host/taskenv/node_meta.h"

namespace drover {

// {"rack":"7","zone":null}: as clients send and see what they have set, and as it is kept.
nlohmann::json EncodeMetaChanges(const NodeMeta::Changes& changes);
// kInvalidArgument: it is no object, or a value is neither a text nor null.
Result<NodeMeta::Changes> DecodeMetaChanges(const nlohmann::json& json);

}  // namespace drover
