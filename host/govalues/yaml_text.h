// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/govalues/value.h"

namespace drover::templates {

// Returns VALUE in YAML, as Go's yaml.v2 writes it.
Result<std::string> YamlText(const Value& value, const Heap& heap);
// Returns the value that the first document of TEXT is, as yaml.v2 reads it.
Result<Value> ParseYamlText(const std::string& text, Heap* heap);

}  // namespace drover::templates
