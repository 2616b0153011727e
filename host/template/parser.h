// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/template/function.h"
#include "host/template/nodes.h"

namespace drover::templates {

// Parses TEXT, the template NAME with the delimiters LEFT and RIGHT (empty: {{ and }}), which may
// call FUNCTIONS. The error names the template, the line and the column.
Result<ParsedTemplate> ParseTemplate(std::string name, std::string text, std::string_view left,
                                     std::string_view right, const FunctionSet& functions);

}  // namespace drover::templates
