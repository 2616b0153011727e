// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/render_task_template.h"

namespace drover {

Result<RenderedTemplate> RenderTaskTemplate(const TaskTemplate& of, std::string_view text,
                                            TemplateValues* values) {
  TemplateSpec spec;
  spec.text = text;
  spec.name = of.destination;
  spec.left = of.left_delimiter;
  spec.right = of.right_delimiter;
  spec.error_on_missing_key = of.error_on_missing_key;
  return RenderTemplate(spec, values);
}

}  // namespace drover
