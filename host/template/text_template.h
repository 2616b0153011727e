// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// A template that users give on a command line. It supports a part of Go's text/template:
//
//   {{range .}}{{.ID}} {{.Job.Name | printf "%-20s"}}{{if eq .Status "running"}} up{{end}}
//   {{end}}
//
// Actions are values, if, else, range, with, end, $name := value, and comments. {{- removes the
// blanks before it, and -}} removes the blanks after it. Functions are and, or, not, eq, ne, lt,
// le, gt, ge, len, index, print, println, printf (%s, %v, %d, %q, %f, %t with width and precision)
// and json. A missing value is written as "<no value>". Immutable.
class TextTemplate {
 public:
  // Parses TEXT. The error describes the mistake and its position.
  static Result<TextTemplate> Parse(std::string_view text);

  // Renders DATA by the template. Control characters in texts of DATA are made harmless for a
  // terminal.
  Result<std::string> Render(const nlohmann::json& data) const;

  struct Node;

 private:
  explicit TextTemplate(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace drover
