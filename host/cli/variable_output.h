// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/cli/output.h"

namespace drover {

// The options that choose the form in which a command prints variables.
struct VariableForm {
  std::string out;  // such as "json"; empty: the command decides
  std::string text_template;

  // FORMS are the possible values of --out. BY_DEFAULT says what the command does without it.
  void Declare(CLI::App* command, const std::vector<std::string>& forms,
               const std::string& by_default);
  Status Check() const;
  // Returns an output for the form AS, which is "json", "go-template" or any other.
  Result<Output> MakeOutput(const std::string& as) const;
  // Prints VARIABLE with its items, in the form AS: table, hcl, json, go-template or none.
  Result<int> Print(const nlohmann::json& variable, const std::string& as) const;
};

}  // namespace drover
