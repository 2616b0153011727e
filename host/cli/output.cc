// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/output.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/cli/exit_code.h"
#include "host/view/json_fields.h"

namespace drover {

using nlohmann::json;

void AnswerForm::Declare(CLI::App* command) {
  CLI::Option* const as_json = command->add_flag("--json", json, "Prints JSON");
  command
      ->add_option("-t,--template", text_template,
                   "Prints what --json prints by this template, as Go has them: '{{.ID}}'")
      ->excludes(as_json);
}

Result<Output> Output::Create(const AnswerForm& form) {
  Output out;
  out.json_ = form.json;
  if (!form.text_template.empty()) {
    DROVER_ASSIGN(out.template_, TextTemplate::Parse(form.text_template));
  }
  return out;
}

Result<int> Output::Print(const json& answer) {
  if (!template_) {
    PrintJson(answer);
    return kExitOk;
  }
  DROVER_ASSIGN(const std::string text, template_->Render(answer));
  std::cout << text;
  if (!text.ends_with('\n')) std::cout << '\n';
  std::cout << std::flush;
  return kExitOk;
}

Result<int> Output::Print(const json& answer, const std::string& line) {
  if (raw()) return Print(answer);
  Line(line);
  return kExitOk;
}

Result<int> Output::Print(const json& answer, const TextTable& table, const char* none) {
  if (raw()) return Print(answer);
  table.Print(this, none);
  return kExitOk;
}

Result<int> Output::Show(const json& answer, void (*show)(Terminal*, const json&)) {
  DROVER_TRY(CheckIsObject(answer));
  if (raw()) return Print(answer);
  show(this, answer);
  return kExitOk;
}

}  // namespace drover
