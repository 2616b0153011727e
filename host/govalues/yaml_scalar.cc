// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/yaml_scalar.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/govalues/go_time.h"

namespace drover::templates {
namespace {

constexpr std::string_view kYamlTrue[] = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                          "True", "TRUE", "on",  "On",  "ON"};
constexpr std::string_view kYamlFalse[] = {"n",     "N",     "no",  "No",  "NO", "false",
                                           "False", "FALSE", "off", "Off", "OFF"};
constexpr std::string_view kYamlNull[] = {"", "~", "null", "Null", "NULL"};
constexpr std::string_view kYamlInfinity[] = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"};
constexpr std::string_view kYamlNegative[] = {"-.inf", "-.Inf", "-.INF"};
constexpr std::string_view kYamlNan[] = {".nan", ".NaN", ".NAN"};

template <std::size_t N>
bool IsOneOf(const std::string_view (&words)[N], const std::string& text) {
  return std::ranges::find(words, text) != std::end(words);
}

bool IsYamlTime(const std::string& text) {
  if (text.size() < 5 || text.find_first_not_of("0123456789") != 4 || text[4] != '-') return false;
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"2006-1-2T15:4:5.999999999Z07:00",
                                              "2006-1-2t15:4:5.999999999Z07:00",
                                              "2006-1-2 15:4:5.999999999", "2006-1-2"},
      [&text](std::string_view layout) { return ParseMoment(layout, text).ok(); });
}

// Returns whether TEXT has the form [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?.
bool IsYamlReal(std::string_view text) {
  const auto digits = [&text] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return digits() > 0 && text.empty();
}

// Returns whether TEXT is a number to the base 60, such as 1:30, which YAML 1.1 has.
bool IsBase60(const std::string& text) {
  const std::size_t begin = text.find_first_of("0123456789");
  if (text.find(':') == std::string::npos || begin > 1) return false;
  if (begin == 1 && text[0] != '+' && text[0] != '-') return false;
  const std::vector<std::string> parts = Split(text.substr(begin), ":");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string_view part = parts[i];
    if (i == 0) {
      if (part.find_first_not_of("0123456789_") != std::string_view::npos) return false;
      continue;
    }
    if (i + 1 == parts.size() && part.find('.') != std::string_view::npos) {
      const std::string_view fraction = part.substr(part.find('.') + 1);
      if (fraction.find_first_not_of("0123456789_") != std::string_view::npos) return false;
      part = part.substr(0, part.find('.'));
    }
    if (part.empty() || part.size() > 2 || (part.size() == 2 && part[0] > '5')) return false;
    if (part.find_first_not_of("0123456789") != std::string_view::npos) return false;
  }
  return true;
}

std::optional<Value> YamlNumber(const std::string& text) {
  const std::string plain = ReplaceAll(text, "_", "");
  if (const auto integer = ParseInt(plain, 0)) return Value::Int(*integer);
  if (const auto natural = ParseUint(plain, 0)) return Value::Uint(*natural);
  if (!IsYamlReal(plain)) return std::nullopt;
  const auto real = ParseFloat(plain);
  return real ? std::optional<Value>(Value::Float(*real)) : std::nullopt;
}

}  // namespace

Value ResolveYamlScalar(const std::string& text, bool* is_time, Heap* heap) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  *is_time = false;
  if (IsOneOf(kYamlNull, text)) return Value::Nil();
  if (IsOneOf(kYamlTrue, text)) return Value::Bool(true);
  if (IsOneOf(kYamlFalse, text)) return Value::Bool(false);
  if (IsOneOf(kYamlInfinity, text)) return Value::Float(kInfinite);
  if (IsOneOf(kYamlNegative, text)) return Value::Float(-kInfinite);
  if (IsOneOf(kYamlNan, text)) return Value::Float(std::numeric_limits<double>::quiet_NaN());
  const char first = text[0];
  if (first == '.') {
    if (const auto real = ParseFloat(text)) return Value::Float(*real);
  } else if ((first >= '0' && first <= '9') || first == '-' || first == '+') {
    *is_time = IsYamlTime(text);
    if (!*is_time) {
      if (const auto number = YamlNumber(text)) return *number;
    }
  }
  return heap->Text(text);
}

bool IsPlainYamlText(const std::string& text) {
  Heap heap(std::size_t{1} << 30, 1000);
  bool is_time = false;
  if (IsBase60(text)) return false;
  // Only short texts can mean anything else.
  if (text.size() > 400) return true;
  return ResolveYamlScalar(text, &is_time, &heap).is(Kind::kString) && !is_time;
}

}  // namespace drover::templates
