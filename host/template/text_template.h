// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// A template in the part of Go's text/template that command lines use:
//
//   {{range .}}{{.ID}} {{.Job.Name | printf "%-20s"}}{{if eq .Status "running"}} up{{end}}
//   {{end}}
//
// Actions: values, if, else, range, with, end, $name := value, comments; {{- and -}} remove
// the blanks beside them. Functions: and, or, not, eq, ne, lt, le, gt, ge, len, index, print,
// println, printf (%s, %v, %d, %q, %f, %t with width and precision) and json. A value that is
// missing is written as "<no value>". Immutable.
class TextTemplate {
 public:
  // The error says what is wrong and where.
  static Result<TextTemplate> Parse(std::string_view text);

  // DATA in the form of the template. Texts in DATA cannot steer a terminal.
  Result<std::string> Render(const nlohmann::json& data) const;

  struct Node;

 private:
  explicit TextTemplate(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace drover
