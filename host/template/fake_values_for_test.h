// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/template/template_values.h"

namespace drover {

// Values for tests of templates. What is not set is not known yet.
class FakeValues : public TemplateValues {
 public:
  Result<nlohmann::json> Value(const ValueRequest& request) override {
    if (request.function == "key" && request.arguments[0] == "forbidden") {
      return Error(Code::kPermissionDenied, "the task may not read it");
    }
    const auto found = values.find(request);
    if (found == values.end()) return nlohmann::json(nlohmann::json::value_t::discarded);
    return found->second;
  }
  Result<std::string> File(const std::string& path) override {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    return Error(Code::kNotFound, path + ": there is no such file");
  }
  const std::string* Env(const std::string& name) override {
    const auto found = env.find(name);
    return found == env.end() ? nullptr : &found->second;
  }

  void Set(std::string function, std::vector<std::string> arguments, nlohmann::json value) {
    values[{std::move(function), std::move(arguments)}] = std::move(value);
  }

  std::map<ValueRequest, nlohmann::json> values;
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> env;
};

// Returns what the template TEXT writes, or its error after "error: ".
inline std::string Rendered(const std::string& text, FakeValues* values = nullptr,
                            bool error_on_missing_key = false) {
  FakeValues none;
  TemplateSpec spec;
  spec.text = text;
  spec.error_on_missing_key = error_on_missing_key;
  spec.now = std::chrono::system_clock::time_point(std::chrono::seconds(1234567890));
  const Result<RenderedTemplate> done = RenderTemplate(spec, values == nullptr ? &none : values);
  return done.ok() ? done->text : "error: " + done.error().message();
}

}  // namespace drover
