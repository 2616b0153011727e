// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

namespace templates {
struct ParsedTemplate;
}  // namespace templates

// A template that users give on a command line. It has all of Go's text/template:
//
//   {{range .}}{{.ID}} {{.Job.Name | printf "%-20s"}}{{if eq .Status "running"}} up{{end}}
//   {{end}}
//
// and the function json. A field of what is missing is missing, and is written as "<no value>".
// Immutable.
class TextTemplate {
 public:
  // Parses TEXT. The error describes the mistake and its line and column.
  static Result<TextTemplate> Parse(std::string_view text);

  // Renders DATA by the template. Control characters in texts of DATA are made harmless for a
  // terminal.
  Result<std::string> Render(const nlohmann::json& data) const;

 private:
  explicit TextTemplate(std::shared_ptr<const templates::ParsedTemplate> parsed)
      : parsed_(std::move(parsed)) {}
  std::shared_ptr<const templates::ParsedTemplate> parsed_;
};

}  // namespace drover
