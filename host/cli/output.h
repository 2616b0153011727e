// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/cli/table.h"
#include "host/cli/terminal.h"
#include "host/template/text_template.h"

namespace CLI {
class App;
}

namespace drover {

// The options that choose the form of what a command prints.
struct AnswerForm {
  bool json = false;
  std::string text_template;  // empty: none

  void Declare(CLI::App* command);
};

// The output of a command that asks an agent: lines for people, or the answer itself for programs.
class Output : public Terminal {
 public:
  // The error says what is wrong with the template.
  static Result<Output> Create(const AnswerForm& form);

  // Whether the answer itself is printed, and no lines.
  bool raw() const { return json_ || template_; }
  // Whether --json was given, for commands that print a line of JSON at a time.
  bool json_lines() const { return json_; }

  // Prints ANSWER by the template, or as JSON. Returns the exit code 0, as the next two do.
  Result<int> Print(const nlohmann::json& answer);
  // Prints ANSWER, or LINE for people.
  Result<int> Print(const nlohmann::json& answer, const std::string& line);
  // Prints ANSWER, or TABLE for people. NONE stands for a table without rows, unless it is null.
  Result<int> Print(const nlohmann::json& answer, const TextTable& table,
                    const char* none = nullptr);

 private:
  Output() = default;

  bool json_ = false;
  std::optional<TextTemplate> template_;
};

}  // namespace drover
