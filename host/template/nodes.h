// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/template/function.h"

namespace drover::templates {

struct Pipeline;

// A constant number. A number can be a constant of several types, such as 1.
struct Number {
  bool is_int = false;
  bool is_uint = false;
  bool is_float = false;
  bool looks_real =
      false;  // has a point or an exponent, so without a wish for a type it is float64
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  double real = 0;
};

// A part of a command, such as .Name, "text" or (a pipeline).
struct Operand {
  enum class Kind {
    kDot,
    kNil,
    kBool,
    kNumber,
    kString,
    kField,
    kVariable,
    kChain,
    kFunction,
    kPipeline
  };
  Kind kind = Kind::kDot;
  std::size_t at = 0;               // its offset in the template
  std::string text;                 // the text, or the name of the variable or function
  std::vector<std::string> fields;  // of a field, a variable or a chain
  bool boolean = false;
  Number number;
  const Function* function = nullptr;
  std::unique_ptr<Operand> base;       // of a chain: what the fields are taken of
  std::unique_ptr<Pipeline> pipeline;  // in parentheses
};

struct Command {
  std::vector<Operand> operands;  // at least one
};

// Commands of which each gets the value of the one before as its last argument.
struct Pipeline {
  std::size_t at = 0;
  std::vector<std::string> variables;  // that get the value
  bool assigns = false;                // = instead of :=
  std::vector<Command> commands;
};

struct TemplateNode {
  enum class Kind { kText, kAction, kIf, kRange, kWith, kTemplate, kBreak, kContinue };
  Kind kind = Kind::kText;
  std::size_t at = 0;
  std::string text;                    // the text, or the name of the template
  std::unique_ptr<Pipeline> pipeline;  // null if there is none
  std::vector<TemplateNode> body;
  std::vector<TemplateNode> otherwise;  // what stands after {{else}}
};

// A template with all that it defines.
struct ParsedTemplate {
  std::string name;
  std::string text;
  // By the names of the templates. The whole template has an empty name.
  std::map<std::string, std::vector<TemplateNode>, std::less<>> bodies;
};

}  // namespace drover::templates
