// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/text_template.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/printable.h"
#include "host/govalues/template_answers.h"
#include "host/template/evaluator.h"
#include "host/template/parser.h"

namespace drover {
namespace {

// What one template of the command line may cost: enough for the answers of a large agent.
TemplateLimits CommandLineLimits() {
  TemplateLimits limits;
  limits.bytes = std::size_t{64} << 20;
  limits.memory = std::size_t{2} << 30;
  limits.steps = 100'000'000;
  limits.time = std::chrono::minutes(1);
  return limits;
}

}  // namespace

Result<TextTemplate> TextTemplate::Parse(std::string_view text) {
  Result<templates::ParsedTemplate> parsed = templates::ParseTemplate(
      "template", std::string(text), "", "", templates::FunctionSet::OfCommandLine());
  if (!parsed.ok()) return parsed.error();
  return TextTemplate(std::make_shared<const templates::ParsedTemplate>(std::move(*parsed)));
}

Result<std::string> TextTemplate::Render(const nlohmann::json& data) const {
  const TemplateLimits limits = CommandLineLimits();
  templates::RenderState state(limits, nullptr, std::chrono::system_clock::now());
  templates::EvaluateOptions options;
  options.lenient = true;
  options.bytes = limits.bytes;
  options.depth = limits.depth;
  options.clean = [](const std::string& printed) { return PrintableLines(printed); };
  const templates::Value dot = templates::ValueOfJson(data, true, &state.heap());
  return templates::Evaluate(*parsed_, dot, options, &state);
}

}  // namespace drover
