// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "host/base/result.h"
#include "host/spec/blocks/task_template.h"
#include "host/template/template_values.h"

namespace drover {

// Renders TEXT, which is the template of OF, with VALUES. Blocks for a bounded time, and returns an
// error if the template is wrong or asks for too much. [any thread]
using RenderFunction = std::function<Result<RenderedTemplate>(
    const TaskTemplate& of, std::string_view text, TemplateValues* values)>;

}  // namespace drover
