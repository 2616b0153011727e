// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/govalues/value.h"
#include "host/template/template_values.h"

namespace drover::templates {

// What one rendering has and does. Functions see it.
class RenderState {
 public:
  // Renders the template NAME with the data DOT.
  using Execute = std::function<Result<std::string>(const std::string& name, const Value& dot)>;

  // VALUES may be null: then nothing from outside can be had.
  RenderState(const TemplateLimits& limits, TemplateValues* values,
              std::chrono::system_clock::time_point now)
      : heap_(limits.memory, limits.steps, std::chrono::steady_clock::now() + limits.time),
        values_(values),
        now_(now),
        most_values_(limits.values),
        scratch_(heap_.NewMap()) {}

  Heap& heap() { return heap_; }
  TemplateValues* values() { return values_; }
  std::chrono::system_clock::time_point now() const { return now_; }
  // The values that {{scratch}} keeps, by key.
  const Value& scratch() const { return scratch_; }

  // Asks for the value of REQUEST, and notes that the template uses it. A value that is not known
  // is "discarded". Returns an error if the template asks for too many values.
  Result<nlohmann::json> Ask(const ValueRequest& request);
  // Notes that the template has to wait for the value of REQUEST.
  void Miss(const ValueRequest& request) { missing_.insert(request); }
  const std::set<ValueRequest>& used() const { return used_; }
  const std::set<ValueRequest>& missing() const { return missing_; }

  // Counts a step. Returns an error if the rendering has cost too much.
  Status Step();

  Execute execute;  // set by the evaluator

 private:
  Heap heap_;
  TemplateValues* const values_;
  const std::chrono::system_clock::time_point now_;
  const std::size_t most_values_;
  const Value scratch_;
  std::set<ValueRequest> used_;
  std::set<ValueRequest> missing_;
};

}  // namespace drover::templates
