// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drover::templates {

enum class TokenKind {
  kText,  // between actions
  kLeft,  // the delimiter that begins an action
  kRight,
  kSpace,
  kBool,
  kCharacter,  // a constant such as 'a'
  kNumber,
  kString,
  kRawString,
  kDot,
  kNil,
  kField,       // .Name
  kVariable,    // $name
  kIdentifier,  // the name of a function
  kKeyword,
  kAssign,   // =
  kDeclare,  // :=
  kPipe,
  kComma,
  kLeftParenthesis,
  kRightParenthesis,
  kOther,  // another character
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // of the template
  std::size_t at = 0;     // its offset in the template
};

// An error at an offset of a template.
struct TemplateFault {
  std::size_t at = 0;
  std::string what;
};

// Splits TEXT, a template with the delimiters LEFT and RIGHT, into tokens. Comments are left out,
// and so are the blanks that the trim markers remove. The last token is kEnd. Returns false and
// sets FAULT if TEXT is wrong.
bool SplitTokens(std::string_view text, std::string_view left, std::string_view right,
                 std::vector<Token>* tokens, TemplateFault* fault);

// Returns "LINE:COLUMN" of the offset AT in TEXT. Both begin with 1.
std::string PlaceOf(std::string_view text, std::size_t at);

}  // namespace drover::templates
