// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// One value that a template asks for from outside, such as {{service "web"}}: the name of the
// function and its arguments as texts. Equal requests are one value.
struct ValueRequest {
  std::string function;  // such as "nomadService", "key" or "ls"
  std::vector<std::string> arguments;

  auto operator<=>(const ValueRequest&) const = default;
};

// Gives a template what it asks for while it is rendered. The thread that renders calls it.
class TemplateValues {
 public:
  virtual ~TemplateValues() = default;
  // Returns the value of REQUEST. A missing value (JSON type "discarded") means "not known yet":
  // the rendering goes on with an empty one. An error ends the rendering.
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
};

}  // namespace drover
