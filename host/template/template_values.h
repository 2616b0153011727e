// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// One value that a template asks for from outside, such as {{service "web"}}: the name of the
// function and its arguments as texts. Equal requests are one value.
//
//   key, keyExists, keyOrDefault (PATH; the default is not part of the request)
//   ls, safeLs, tree, safeTree (PREFIX)
//   service (NAME, FILTER...), services, node, nodes (each with an optional text), datacenters
//   nomadService (NAME) or (COUNT, KEY, NAME), nomadServices
//   nomadVar, nomadVarExists (PATH), nomadVarList, nomadVarListSafe (PREFIX or nothing)
struct ValueRequest {
  std::string function;  // such as "nomadService", "key" or "ls"
  std::vector<std::string> arguments;

  auto operator<=>(const ValueRequest&) const = default;
};

// Gives a template what it asks for while it is rendered. The thread that renders calls it.
class TemplateValues {
 public:
  virtual ~TemplateValues() = default;
  // Returns the value of REQUEST in the form that template_answers.h describes. A missing value
  // (JSON type "discarded") means "not known yet": the rendering goes on with an empty one. An
  // error ends the rendering.
  virtual Result<nlohmann::json> Value(const ValueRequest& request) = 0;
  // Returns the content of the file PATH of the task.
  virtual Result<std::string> File(const std::string& path) = 0;
  // Returns the variable NAME of the task, or null if it has none.
  virtual const std::string* Env(const std::string& name) = 0;
};

struct RenderedTemplate {
  std::string text;                   // of no use while MISSING is not empty
  std::vector<ValueRequest> used;     // all that was asked for, with those of MISSING
  std::vector<ValueRequest> missing;  // asked for, but not known yet
  // The error that ended the rendering early although values are missing. Such an error counts only
  // if it comes again with all values, because a function of an empty value may fail.
  std::string stopped_by;

  bool complete() const { return missing.empty(); }
};

// What one rendering may cost. A template that wants more ends with kResourceExhausted.
struct TemplateLimits {
  std::size_t bytes = std::size_t{16} << 20;    // of the result
  std::size_t memory = std::size_t{256} << 20;  // bytes of all values, whether still in use or not
  std::uint64_t steps = 4'000'000;              // actions, calls, elements of lists
  int depth = 250;                              // of templates that call templates
  std::chrono::milliseconds time{10'000};       // by the clock
  std::size_t values = 5'000;                   // that are asked for outside
};

struct TemplateSpec {
  std::string text;
  std::string name = "template";  // names the template in errors
  std::string left = "{{";        // delimiters; empty ones are {{ and }}
  std::string right = "}}";
  bool error_on_missing_key = false;
  TemplateLimits limits = {};
  // The time of {{timestamp}}. Without it, the present time.
  std::optional<std::chrono::system_clock::time_point> now = std::nullopt;
};

// Renders SPEC with VALUES. It blocks for at most the time of the limits and what VALUES takes.
// Errors name the template, the line and the column. [any thread]
Result<RenderedTemplate> RenderTemplate(const TemplateSpec& spec, TemplateValues* values);

}  // namespace drover
