// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/govalues/value.h"

namespace drover::templates {

struct JsonForm {
  bool pretty = false;        // with line breaks, and indented by two blanks
  bool escapes_html = false;  // < > & as \u003c and so on
};
// Returns VALUE in JSON, as Go's encoding/json writes it.
Result<std::string> JsonText(const Value& value, JsonForm form, const Heap& heap);
// Returns the value that TEXT is in JSON. Numbers are float64.
Result<Value> ParseJsonText(std::string_view text, Heap* heap);

}  // namespace drover::templates
