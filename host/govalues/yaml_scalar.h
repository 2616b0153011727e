// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/govalues/value.h"

namespace drover::templates {

// Returns what the plain scalar TEXT means in YAML 1.1: nil, a bool, an integer, a real number or
// a text. A time stays a text, but is told apart by IS_TIME.
Value ResolveYamlScalar(const std::string& text, bool* is_time, Heap* heap);
// Returns whether the plain scalar TEXT means the text TEXT.
bool IsPlainYamlText(const std::string& text);

}  // namespace drover::templates
