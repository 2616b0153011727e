// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/variable_output.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/exit_code.h"
#include "host/cli/variable_spec.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr char kByTemplate[] = "go-template";

void PrintVariableTable(const json& variable, Output* out) {
  PrintFields(out, {{"Namespace", TextField(variable, "Namespace")},
                    {"Path", TextField(variable, "Path")},
                    {"Create Time", LocalTime(NumberField(variable, "CreateTime"))},
                    {"Modify Time", LocalTime(NumberField(variable, "ModifyTime"))},
                    {"Check Index", NumberText(variable, "ModifyIndex")}});
  PrintHeading(out, "Items");
  for (const auto& [key, value] : MapField(variable, "Items").items()) {
    if (value.is_string()) out->Line(Printable(key) + " = " + Printable(value.get<std::string>()));
  }
}

}  // namespace

void VariableForm::Declare(CLI::App* command, const std::vector<std::string>& forms,
                           const std::string& by_default) {
  command->add_option("--out", out, "The form of the output (" + by_default + ")")
      ->check(CLI::IsMember(forms));
  command->add_option(
      "-t,--template", text_template,
      "Prints what --out json prints by this template, as Go has them: '{{.Path}}'");
}

Status VariableForm::Check() const {
  const bool by_template = out == kByTemplate;
  if (by_template && text_template.empty()) {
    return Error(Code::kInvalidArgument, "--out go-template needs a --template");
  }
  if (!text_template.empty() && !out.empty() && !by_template) {
    return Error(Code::kInvalidArgument, "--template has no meaning with --out " + out);
  }
  return {};
}

Result<Output> VariableForm::MakeOutput(const std::string& as) const {
  AnswerForm form;
  form.json = as == "json" && text_template.empty();
  form.text_template = text_template;
  return Output::Create(form);
}

Result<int> VariableForm::Print(const json& variable, const std::string& as) const {
  DROVER_ASSIGN(Output output, MakeOutput(as));
  if (output.raw()) return output.Print(variable);
  if (as == "hcl") {
    std::fputs(PrintableLines(VariableHcl(variable)).c_str(), stdout);
  } else if (as == "table") {
    PrintVariableTable(variable, &output);
  }
  return kExitOk;
}

}  // namespace drover
