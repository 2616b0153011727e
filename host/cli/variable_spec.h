// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// A variable as people write it, in a file and as arguments.
struct VariableSpec {
  std::string name_space;  // empty: not said
  std::string path;        // empty: not said
  std::optional<std::uint64_t> modify_index;
  std::map<std::string, std::string> items;

  bool operator==(const VariableSpec&) const = default;
};

// Reads a specification of a variable. FORM is "hcl" or "json"; if it is empty, the text decides.
// Its keys are path, namespace, items and those of the metadata, in the spelling of the API or of
// HCL. FILE is for the error, which contains no value of an item unless the text is neither.
Result<VariableSpec> ReadVariableSpec(const std::string& file, const std::string& text,
                                      const std::string& form);

// Gives SPEC the PATH and the NAME_SPACE of the command line, where PATH has a value and NAME_SPACE
// is not empty. The path loses the slashes at both ends. If SPEC was one of another variable, it is
// now a copy, to which the modify index does not belong.
void PlaceSpec(const std::optional<std::string>& path, const std::string& name_space,
               VariableSpec* spec);

// Changes the items of SPEC by ARGUMENTS, each KEY=VALUE. A VALUE of "@FILE" is the content of the
// file, "-" is standard input, and "\@TEXT" is "@TEXT". An empty VALUE removes the item. Standard
// input can be used once; INPUT_USED says that it was.
Status ApplyItemArguments(const std::vector<std::string>& arguments, bool input_used,
                          VariableSpec* spec);

// Returns VARIABLE, an answer of an agent, as a specification in HCL.
std::string VariableHcl(const nlohmann::json& variable);

}  // namespace drover
