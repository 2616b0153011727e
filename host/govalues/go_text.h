// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Texts as Go sees them: UTF-8, in which a wrong byte counts as the character U+FFFD.
namespace drover::templates {

inline constexpr char32_t kWrongCharacter = 0xfffd;

struct Character {
  char32_t value = kWrongCharacter;
  std::size_t length = 1;
  bool wrong = false;  // a byte that is not UTF-8
};

// Returns the character at AT, which must be inside TEXT.
Character CharacterAt(std::string_view text, std::size_t at);
std::vector<char32_t> CharactersOf(std::string_view text);
std::size_t CountCharacters(std::string_view text);
void AppendCharacter(char32_t character, std::string* out);

bool IsLetter(char32_t c);
bool IsDigitCharacter(char32_t c);
bool IsSpaceCharacter(char32_t c);
bool IsUpper(char32_t c);
bool IsLower(char32_t c);
bool IsPunctuation(char32_t c);
bool IsPrint(char32_t c);
char32_t ToUpper(char32_t c);
char32_t ToLower(char32_t c);
std::string UpperText(std::string_view text);
std::string LowerText(std::string_view text);

// Returns TEXT in quotes as strconv.Quote does, or with QUOTE around it instead. With ASCII, other
// characters are escapes.
std::string QuoteText(std::string_view text, char quote = '"', bool ascii = false);
std::string QuoteCharacter(char32_t c, bool ascii);
// Returns whether TEXT can stand between backquotes.
bool CanBackquote(std::string_view text);
// Returns the text that LITERAL, with its quotes, stands for; none if it is wrong.
std::optional<std::string> UnquoteText(std::string_view literal);

// Returns where PART is in TEXT at FROM or behind it, or npos. Takes time in proportion to both,
// unlike find of the texts themselves.
std::size_t FindText(std::string_view text, std::string_view part, std::size_t from = 0);

std::string_view TrimSpace(std::string_view text);
// Removes the characters of SET from both ends of TEXT.
std::string_view TrimCharacters(std::string_view text, std::string_view set);
std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to);
// Splits TEXT at each SEPARATOR into at most LIMIT parts; a negative LIMIT is none. An empty
// separator splits after each character.
std::vector<std::string> Split(std::string_view text, std::string_view separator, int limit = -1);
std::string Join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace drover::templates
