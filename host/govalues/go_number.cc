// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/go_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "host/base/text.h"

namespace drover::templates {
namespace {

constexpr int kMostDigits = 1000;
using Digits = std::array<char, 2048>;

// Removes the prefix that gives a base, and the underscores, from TEXT. Returns 0 if TEXT is wrong.
int TakeBase(std::string* text) {
  int base = 10;
  std::size_t begin = 0;
  if (text->size() > 1 && (*text)[0] == '0') {
    const char mark = static_cast<char>((*text)[1] | 0x20);
    base = mark == 'x' ? 16 : (mark == 'b' ? 2 : 8);
    begin = mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1;
  }
  bool may_follow = begin > 0;  // an underscore may follow
  std::string digits;
  for (std::size_t i = begin; i < text->size(); ++i) {
    const bool mark = (*text)[i] == '_';
    if (mark && (!may_follow || i + 1 == text->size())) return 0;
    if (!mark) digits += (*text)[i];
    may_follow = !mark;
  }
  if (digits.empty()) return 0;
  *text = digits;
  return base;
}

// Returns the digits and the exponent of VALUE, such as 1.25e+02, with Go's two digits of exponent.
std::string Scientific(double value, int precision) {
  Digits text;
  const auto end = precision < 0 ? std::to_chars(text.data(), text.data() + text.size(), value,
                                                 std::chars_format::scientific)
                                 : std::to_chars(text.data(), text.data() + text.size(), value,
                                                 std::chars_format::scientific, precision);
  return std::string(text.data(), end.ptr);
}

int ExponentOf(const std::string& scientific) {
  const std::size_t mark = scientific.find('e');
  return std::atoi(scientific.c_str() + mark + 1);
}

// Writes VALUE with as many digits as it needs, and zeros for all others.
std::string ShortestFixed(double value) {
  const std::string scientific = Scientific(value, -1);
  const int exponent = ExponentOf(scientific);
  std::string digits;
  for (const char c : scientific.substr(0, scientific.find('e'))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  std::string out = std::signbit(value) ? "-" : "";
  if (exponent < 0)
    return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return out + digits + std::string(whole - digits.size(), '0');
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string Fixed(double value, int precision) {
  if (precision < 0) return ShortestFixed(value);
  Digits text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, precision);
  return std::string(text.data(), end.ptr);
}

// Removes the zeros at the end of the digits behind the point of TEXT, a number without exponent.
void TrimZeros(std::string* text) {
  if (text->find('.') == std::string::npos) return;
  while (text->back() == '0') text->pop_back();
  if (text->back() == '.') text->pop_back();
}

std::string General(double value, int precision) {
  const bool shortest = precision < 0;
  if (precision == 0) precision = 1;
  std::string text = Scientific(value, shortest ? -1 : precision - 1);
  const int exponent = ExponentOf(text);
  std::string mantissa = text.substr(0, text.find('e'));
  TrimZeros(&mantissa);
  int threshold = shortest ? 6 : precision;
  const auto digits = static_cast<int>(
      std::count_if(mantissa.begin(), mantissa.end(), [](char c) { return c >= '0' && c <= '9'; }));
  if (!shortest && threshold > digits && digits > exponent) threshold = digits;
  if (exponent < -4 || exponent >= threshold) return mantissa + text.substr(text.find('e'));
  // All digits are known: write them without an exponent.
  if (shortest) return Fixed(value, -1);
  std::string fixed = Fixed(value, std::max(0, precision - 1 - exponent));
  TrimZeros(&fixed);
  return fixed;
}

}  // namespace

std::optional<std::uint64_t> ParseUint(std::string_view text, int base) {
  std::string digits(text);
  if (base == 0) base = TakeBase(&digits);
  if (base == 0 || digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    const int digit = HexDigit(c);
    if (digit < 0 || digit >= base) return std::nullopt;
    const auto wide = static_cast<unsigned __int128>(value) * static_cast<unsigned>(base) +
                      static_cast<unsigned>(digit);
    if (wide > std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
    value = static_cast<std::uint64_t>(wide);
  }
  return value;
}

std::optional<std::int64_t> ParseInt(std::string_view text, int base) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<std::uint64_t> value = ParseUint(text, base);
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  if (!value || *value > (negative ? kLimit : kLimit - 1)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *value : *value);
}

std::optional<double> ParseFloat(std::string_view text) {
  bool hexadecimal = false;
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.size() > 1 && rest[0] == '0' && (rest[1] | 0x20) == 'x') hexadecimal = true;
  std::string lower(rest);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  const double sign = text.starts_with('-') ? -1 : 1;
  if (lower == "inf" || lower == "infinity") return sign * std::numeric_limits<double>::infinity();
  if (lower == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (hexadecimal && lower.find('p') == std::string::npos) return std::nullopt;
  const std::string_view number = hexadecimal ? std::string_view(lower).substr(2) : lower;
  if (number.empty() || (number[0] != '.' && HexDigit(number[0]) < 0)) return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value,
                      hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (end != number.data() + number.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small is zero; too large is an error.
    const double other = std::strtod(std::string(rest).c_str(), nullptr);
    if (std::isinf(other)) return std::nullopt;
    return sign * other;
  }
  if (error != std::errc()) return std::nullopt;
  return sign * value;
}

std::string FormatFloat(double value, char form, int precision) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  precision = std::min(precision, kMostDigits);
  const char lower = static_cast<char>(form | 0x20);
  std::string text = lower == 'e'   ? Scientific(value, precision)
                     : lower == 'f' ? Fixed(value, precision)
                                    : General(value, precision);
  if (form == 'E' || form == 'G') std::replace(text.begin(), text.end(), 'e', 'E');
  return text;
}

std::string FormatBinaryFloat(double value, char form, int precision) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  if (form == 'b') {
    int exponent = 0;
    const double mantissa = std::frexp(std::fabs(value), &exponent);
    const auto whole = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
    const int shown = value == 0 ? -1074 : exponent - 53;
    return (std::signbit(value) ? "-" : "") + std::to_string(whole) + "p" +
           (shown >= 0 ? "+" : "") + std::to_string(shown);
  }
  Digits text;
  const double positive = std::fabs(value);
  precision = std::min(precision, kMostDigits);
  const auto end = precision < 0 ? std::to_chars(text.data(), text.data() + text.size(), positive,
                                                 std::chars_format::hex)
                                 : std::to_chars(text.data(), text.data() + text.size(), positive,
                                                 std::chars_format::hex, precision);
  std::string digits(text.data(), end.ptr);
  // Go writes at least two digits of the exponent.
  const std::size_t mark = digits.find('p');
  if (digits.size() - mark == 3) digits.insert(mark + 2, "0");
  std::string out = (std::signbit(value) ? "-0x" : "0x") + digits;
  if (form == 'X') {
    for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  return out;
}

}  // namespace drover::templates
