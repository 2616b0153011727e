// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <utility>

#include "host/template/evaluator.h"
#include "host/template/parser.h"
#include "host/template/template_values.h"

namespace drover {

Result<RenderedTemplate> RenderTemplate(const TemplateSpec& spec, TemplateValues* values) {
  Result<templates::ParsedTemplate> parsed = templates::ParseTemplate(
      spec.name, spec.text, spec.left, spec.right, templates::FunctionSet::OfTasks());
  if (!parsed.ok()) return parsed.error().WithContext("template");
  templates::RenderState state(spec.limits, values,
                               spec.now.value_or(std::chrono::system_clock::now()));
  templates::EvaluateOptions options;
  options.error_on_missing_key = spec.error_on_missing_key;
  options.bytes = spec.limits.bytes;
  options.depth = spec.limits.depth;
  Result<std::string> text = templates::Evaluate(*parsed, templates::Value(), options, &state);
  RenderedTemplate rendered;
  if (text.ok()) {
    rendered.text = std::move(*text);
  } else {
    const bool too_much = text.code() == Code::kResourceExhausted || text.code() == Code::kTimeout;
    if (too_much || state.missing().empty()) return text.error();
    rendered.stopped_by = text.error().message();
  }
  rendered.used.assign(state.used().begin(), state.used().end());
  rendered.missing.assign(state.missing().begin(), state.missing().end());
  return rendered;
}

}  // namespace drover
