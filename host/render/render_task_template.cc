// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/render_task_template.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/template/text_template.h"

namespace drover {

// The engine of the command line has no functions that ask for values.
Result<RenderedTemplate> RenderTaskTemplate(const TaskTemplate&, std::string_view text,
                                            TemplateValues*) {
  DROVER_ASSIGN(const TextTemplate parsed, TextTemplate::Parse(text));
  RenderedTemplate rendered;
  DROVER_ASSIGN(rendered.text, parsed.Render(nlohmann::json::object()));
  return rendered;
}

}  // namespace drover
