// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "host/base/result.h"
#include "host/template/nodes.h"
#include "host/template/render_state.h"

namespace drover::templates {

struct EvaluateOptions {
  bool error_on_missing_key = false;
  // Fields of nothing are nothing, where Go has an error.
  bool lenient = false;
  std::size_t bytes = 0;  // that the result may have
  int depth = 0;          // of templates within templates
  // Makes a text that an action writes harmless. Null: it is written as it is.
  std::function<std::string(const std::string&)> clean = nullptr;
};

// Renders PARSED with the data DOT. Both must outlive the call, and so must STATE. The error names
// the template, the line and the column.
Result<std::string> Evaluate(const ParsedTemplate& parsed, const Value& dot,
                             const EvaluateOptions& options, RenderState* state);

}  // namespace drover::templates
