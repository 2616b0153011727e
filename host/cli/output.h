// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/template/text_template.h"
#include "host/view/table.h"
#include "host/view/terminal.h"

namespace CLI {
class App;
}

namespace drover {

// The options that choose the form in which a command prints an answer.
struct AnswerForm {
  bool json = false;
  std::string text_template;  // empty if there is no template

  void Declare(CLI::App* command);
};

// The output of a command that sends requests to an agent. It prints lines for people, or the
// answer itself for programs.
class Output : public Terminal {
 public:
  // Fails if the template is wrong, and the error describes the mistake.
  static Result<Output> Create(const AnswerForm& form);

  // Returns true if the answer itself must be printed, and not lines for people.
  bool raw() const { return json_ || template_; }
  // Returns true if --json was given. This function is for commands that print several lines of
  // JSON, one at a time.
  bool json_lines() const { return json_; }

  // Prints ANSWER as JSON or by the template. The functions that print return the exit code 0.
  Result<int> Print(const nlohmann::json& answer);
  // Prints ANSWER if raw() is true, and otherwise LINE.
  Result<int> Print(const nlohmann::json& answer, const std::string& line);
  // Prints ANSWER if raw() is true, and otherwise TABLE. If TABLE has no rows, prints NONE in its
  // place unless NONE is null.
  Result<int> Print(const nlohmann::json& answer, const TextTable& table,
                    const char* none = nullptr);
  // Prints ANSWER if raw() is true, and otherwise what SHOW prints of it. Returns an error unless
  // ANSWER is an object.
  Result<int> Show(const nlohmann::json& answer, void (*show)(Terminal*, const nlohmann::json&));

 private:
  Output() = default;

  bool json_ = false;
  std::optional<TextTemplate> template_;
};

}  // namespace drover
