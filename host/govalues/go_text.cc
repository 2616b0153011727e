// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/go_text.h"

#include <locale.h>  // NOLINT: newlocale is POSIX
#include <string.h>  // NOLINT: memmem is of GNU
#include <wctype.h>  // NOLINT: and so are the functions of a locale

#include <algorithm>

#include "host/base/text.h"
#include "host/base/utf8.h"

namespace drover::templates {
namespace {

constexpr char32_t kGreatestCharacter = 0x10ffff;

locale_t Unicode() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

// Asks the C library about C. Without its Unicode locale only ASCII is known.
template <typename Function>
bool IsOfClass(Function function, char32_t c) {
  if (Unicode() == nullptr)
    return c < 0x80 && function(static_cast<wint_t>(c), LC_GLOBAL_LOCALE) != 0;
  return function(static_cast<wint_t>(c), Unicode()) != 0;
}

bool IsSurrogate(char32_t c) { return c >= 0xd800 && c < 0xe000; }

void AppendHex(char32_t value, int digits, std::string* out) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    *out += "0123456789abcdef"[value >> shift & 15];
  }
}

void AppendEscaped(const Character& c, unsigned char byte, char quote, bool ascii,
                   std::string* out) {
  if (c.wrong) {
    *out += "\\x";
    AppendHex(byte, 2, out);
    return;
  }
  if (c.value == static_cast<char32_t>(quote) || c.value == '\\') {
    *out += '\\';
    *out += static_cast<char>(c.value);
    return;
  }
  if ((!ascii || c.value < 0x80) && IsPrint(c.value)) {
    AppendCharacter(c.value, out);
    return;
  }
  constexpr std::string_view kControls = "\a\b\f\n\r\t\v";
  const std::size_t known =
      c.value < 0x80 ? kControls.find(static_cast<char>(c.value)) : std::string_view::npos;
  if (known != std::string_view::npos && c.value != 0) {
    *out += '\\';
    *out += "abfnrtv"[known];
  } else if (c.value < ' ' || c.value == 0x7f) {
    *out += "\\x";
    AppendHex(c.value, 2, out);
  } else if (c.value < 0x10000) {
    *out += "\\u";
    AppendHex(c.value, 4, out);
  } else {
    *out += "\\U";
    AppendHex(c.value, 8, out);
  }
}

// Reads DIGITS digits of base BASE at *AT.
std::optional<char32_t> ReadDigits(std::string_view text, int digits, int base, std::size_t* at) {
  char32_t value = 0;
  for (int i = 0; i < digits; ++i, ++*at) {
    const int digit = *at < text.size() ? HexDigit(text[*at]) : -1;
    if (digit < 0 || digit >= base) return std::nullopt;
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
  }
  return value;
}

// Reads the escape at *AT, which is behind the backslash.
bool ReadEscape(std::string_view text, char quote, std::size_t* at, std::string* out) {
  const char c = text[(*at)++];
  constexpr std::string_view kNames = "abfnrtv\\";
  const std::size_t known = kNames.find(c);
  if (known != std::string_view::npos) {
    *out += "\a\b\f\n\r\t\v\\"[known];
    return true;
  }
  if (c == quote) {
    *out += quote;
    return true;
  }
  if (c == 'x' || (c >= '0' && c <= '7')) {
    if (c != 'x') --*at;
    const auto byte = c == 'x' ? ReadDigits(text, 2, 16, at) : ReadDigits(text, 3, 8, at);
    if (!byte || *byte > 255) return false;
    // In the constant of a character this is the character, not a byte.
    if (quote == '\'') {
      AppendCharacter(*byte, out);
    } else {
      *out += static_cast<char>(*byte);
    }
    return true;
  }
  if (c != 'u' && c != 'U') return false;
  const auto value = ReadDigits(text, c == 'u' ? 4 : 8, 16, at);
  if (!value || *value > kGreatestCharacter || IsSurrogate(*value)) return false;
  AppendCharacter(*value, out);
  return true;
}

template <typename Function>
std::string MapCharacters(std::string_view text, Function function) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = CharacterAt(text, at);
    AppendCharacter(function(c.value), &out);
    at += c.length;
  }
  return out;
}

bool IsIn(std::string_view set, char32_t wanted) {
  for (std::size_t at = 0; at < set.size();) {
    const Character c = CharacterAt(set, at);
    if (c.value == wanted) return true;
    at += c.length;
  }
  return false;
}

// Returns where the last character of TEXT begins.
std::size_t LastBegin(std::string_view text) {
  const std::size_t end = text.size();
  for (std::size_t back = std::min<std::size_t>(4, end); back > 1; --back) {
    const Character c = CharacterAt(text, end - back);
    if (!c.wrong && c.length == back) return end - back;
  }
  return end - 1;
}

template <typename Is>
std::string_view TrimBoth(std::string_view text, Is is) {
  while (!text.empty()) {
    const Character c = CharacterAt(text, 0);
    if (!is(c.value)) break;
    text.remove_prefix(c.length);
  }
  while (!text.empty()) {
    const std::size_t last = LastBegin(text);
    if (!is(CharacterAt(text, last).value)) break;
    text = text.substr(0, last);
  }
  return text;
}

}  // namespace

Character CharacterAt(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {byte, 1, false};
  const Utf8Character found = FirstCharacter(text.substr(at, 4));
  if (found.length == 0) return {kWrongCharacter, 1, true};
  return {found.value, found.length, false};
}

std::vector<char32_t> CharactersOf(std::string_view text) {
  std::vector<char32_t> all;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = CharacterAt(text, at);
    all.push_back(c.value);
    at += c.length;
  }
  return all;
}

std::size_t CountCharacters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += CharacterAt(text, at).length;
  return count;
}

void AppendCharacter(char32_t character, std::string* out) {
  if (character > kGreatestCharacter || IsSurrogate(character)) character = kWrongCharacter;
  const auto byte = [out](char32_t value) { *out += static_cast<char>(value); };
  if (character < 0x80) {
    byte(character);
  } else if (character < 0x800) {
    byte(0xc0 | character >> 6);
    byte(0x80 | (character & 63));
  } else if (character < 0x10000) {
    byte(0xe0 | character >> 12);
    byte(0x80 | (character >> 6 & 63));
    byte(0x80 | (character & 63));
  } else {
    byte(0xf0 | character >> 18);
    byte(0x80 | (character >> 12 & 63));
    byte(0x80 | (character >> 6 & 63));
    byte(0x80 | (character & 63));
  }
}

bool IsLetter(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return IsOfClass(iswalpha_l, c) && !IsDigitCharacter(c);
}

bool IsDigitCharacter(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  // The digits of the scripts whose numbers the C library takes for letters.
  return (c >= 0x660 && c <= 0x669) || (c >= 0x6f0 && c <= 0x6f9) || (c >= 0x966 && c <= 0x96f) ||
         (c >= 0xff10 && c <= 0xff19);
}

bool IsSpaceCharacter(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

bool IsUpper(char32_t c) { return c < 0x80 ? c >= 'A' && c <= 'Z' : IsOfClass(iswupper_l, c); }

bool IsLower(char32_t c) { return c < 0x80 ? c >= 'a' && c <= 'z' : IsOfClass(iswlower_l, c); }

bool IsPunctuation(char32_t c) {
  if (c >= 0x80) return IsOfClass(iswpunct_l, c);
  // The symbols $ + < = > ^ ` | ~ are no punctuation in Unicode.
  return c > ' ' && c < 0x7f && !IsLetter(c) && !IsDigitCharacter(c) && !IsIn("$+<=>^`|~", c);
}

bool IsPrint(char32_t c) {
  if (c < 0x80) return c >= ' ' && c < 0x7f;
  if (c < 0xa1 || c == 0xad || IsSpaceCharacter(c) || IsSurrogate(c)) return false;
  if ((c >= 0xe000 && c <= 0xf8ff) || c >= 0xe0000) return false;  // of private use
  // Characters that are not seen.
  if ((c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
      (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb)) {
    return false;
  }
  return IsOfClass(iswprint_l, c);
}

char32_t ToUpper(char32_t c) {
  if (c < 0x80) return IsLower(c) ? c - 32 : c;
  if (Unicode() == nullptr) return c;
  return static_cast<char32_t>(towupper_l(static_cast<wint_t>(c), Unicode()));
}

char32_t ToLower(char32_t c) {
  if (c < 0x80) return IsUpper(c) ? c + 32 : c;
  if (Unicode() == nullptr) return c;
  return static_cast<char32_t>(towlower_l(static_cast<wint_t>(c), Unicode()));
}

std::string UpperText(std::string_view text) { return MapCharacters(text, ToUpper); }
std::string LowerText(std::string_view text) { return MapCharacters(text, ToLower); }

std::string QuoteText(std::string_view text, char quote, bool ascii) {
  std::string out(1, quote);
  for (std::size_t at = 0; at < text.size();) {
    const Character c = CharacterAt(text, at);
    AppendEscaped(c, static_cast<unsigned char>(text[at]), quote, ascii, &out);
    at += c.length;
  }
  return out += quote;
}

std::string QuoteCharacter(char32_t c, bool ascii) {
  std::string text;
  AppendCharacter(c, &text);
  return QuoteText(text, '\'', ascii);
}

bool CanBackquote(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Character c = CharacterAt(text, at);
    if (c.wrong || c.value == 0xfeff || c.value == '`' || c.value == 0x7f) return false;
    if (c.value < ' ' && c.value != '\t') return false;
    at += c.length;
  }
  return true;
}

std::optional<std::string> UnquoteText(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != literal.back()) return std::nullopt;
  const char quote = literal.front();
  const std::string_view inside = literal.substr(1, literal.size() - 2);
  if (quote == '`') {
    if (inside.find('`') != std::string_view::npos) return std::nullopt;
    return ReplaceAll(inside, "\r", "");
  }
  if (quote != '"' && quote != '\'') return std::nullopt;
  std::string out;
  for (std::size_t at = 0; at < inside.size();) {
    const char c = inside[at++];
    if (c == quote || c == '\n') return std::nullopt;
    if (c != '\\') {
      out += c;
    } else if (at == inside.size() || !ReadEscape(inside, quote, &at, &out)) {
      return std::nullopt;
    }
  }
  return out;
}

std::size_t FindText(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* const found =
      memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::string_view TrimSpace(std::string_view text) { return TrimBoth(text, IsSpaceCharacter); }

std::string_view TrimCharacters(std::string_view text, std::string_view set) {
  constexpr std::size_t kShortSet = 32;
  if (set.size() <= kShortSet) {
    return TrimBoth(text, [set](char32_t c) { return IsIn(set, c); });
  }
  std::vector<bool> wanted(kGreatestCharacter + 1);
  for (const char32_t c : CharactersOf(set)) wanted[c] = true;
  return TrimBoth(text, [&wanted](char32_t c) { return wanted[c]; });
}

std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  if (from.empty()) {  // before each character and at the end
    for (std::size_t at = 0; at < text.size();) {
      const Character c = CharacterAt(text, at);
      out.append(to).append(text.substr(at, c.length));
      at += c.length;
    }
    return out.append(to);
  }
  for (std::size_t at = 0;;) {
    const std::size_t found = FindText(text, from, at);
    if (found == std::string_view::npos) return out.append(text.substr(at));
    out.append(text.substr(at, found - at)).append(to);
    at = found + from.size();
  }
}

std::vector<std::string> Split(std::string_view text, std::string_view separator, int limit) {
  std::vector<std::string> parts;
  if (limit == 0) return parts;
  std::size_t at = 0;
  while (limit < 0 || parts.size() + 1 < static_cast<std::size_t>(limit)) {
    if (separator.empty()) {
      if (at >= text.size()) return parts;
      const std::size_t length = CharacterAt(text, at).length;
      if (at + length >= text.size()) break;
      parts.emplace_back(text.substr(at, length));
      at += length;
      continue;
    }
    const std::size_t found = FindText(text, separator, at);
    if (found == std::string_view::npos) break;
    parts.emplace_back(text.substr(at, found - at));
    at = found + separator.size();
  }
  if (!separator.empty() || at < text.size()) parts.emplace_back(text.substr(at));
  return parts;
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

}  // namespace drover::templates
