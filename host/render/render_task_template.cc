// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/render_task_template.h"

#include <chrono>

namespace drover {

namespace {

// What takes longer is rendered among the slow ones.
constexpr std::chrono::milliseconds kQuick{250};

Result<RenderedTemplate> RenderWithin(const TemplateLimits& limits, const TaskTemplate& of,
                                      std::string_view text, TemplateValues* values) {
  TemplateSpec spec;
  spec.limits = limits;
  spec.text = text;
  spec.name = of.destination;
  spec.left = of.left_delimiter;
  spec.right = of.right_delimiter;
  spec.error_on_missing_key = of.error_on_missing_key;
  return RenderTemplate(spec, values);
}

}  // namespace

Result<RenderedTemplate> RenderTaskTemplate(const TaskTemplate& of, std::string_view text,
                                            TemplateValues* values) {
  return RenderWithin({}, of, text, values);
}

Result<RenderedTemplate> RenderQuickTemplate(const TaskTemplate& of, std::string_view text,
                                             TemplateValues* values) {
  TemplateLimits limits;
  limits.time = kQuick;
  return RenderWithin(limits, of, text, values);
}

}  // namespace drover
