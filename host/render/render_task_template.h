// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/base/result.h"
#include "host/spec/blocks/task_template.h"
#include "host/template/template_values.h"

namespace drover {

// Renders TEXT, which is the template of OF, with VALUES. This is the one place that calls the
// engine. See RenderFunction. Blocks. [any thread]
Result<RenderedTemplate> RenderTaskTemplate(const TaskTemplate& of, std::string_view text,
                                            TemplateValues* values);

// The same, but fails with the code kTimeout if the template takes long.
Result<RenderedTemplate> RenderQuickTemplate(const TaskTemplate& of, std::string_view text,
                                             TemplateValues* values);

}  // namespace drover
