// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/text.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>

namespace drover_docker {
namespace {

struct DurationUnit {
  std::string_view name;
  double nanoseconds;
};
constexpr DurationUnit kDurationUnits[] = {{"ns", 1},  {"us", 1e3}, {"ms", 1e6},
                                           {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
constexpr double kLongestDuration = 366.0 * 24 * 3600 * 1e9;
constexpr std::size_t kLongestQuote = 120;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Invalid(const std::string& message) {
  throw drover::Error(drover::Code::kInvalidArgument, message);
}

void Denied(const std::string& message) {
  throw drover::Error(drover::Code::kPermissionDenied, message);
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, kLongestQuote)) {
    const unsigned char byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  if (text.size() > kLongestQuote) out += "...";
  return out + '"';
}

Duration ReadDuration(const std::string& where, const std::string& text, Duration fallback) {
  if (text.empty()) return fallback;
  if (text == "0") return Duration(0);
  double total = 0;
  for (std::size_t at = 0; at < text.size();) {
    double number = 0;
    double place = 1;
    bool fraction = false;
    bool digits = false;
    for (; at < text.size() && (IsDigit(text[at]) || (text[at] == '.' && !fraction)); ++at) {
      if (text[at] == '.') {
        fraction = true;
        continue;
      }
      digits = true;
      number = number * 10 + (text[at] - '0');
      if (fraction) place *= 10;
    }
    const std::size_t begin = at;
    while (at < text.size() && !IsDigit(text[at]) && text[at] != '.') ++at;
    const std::string_view unit = std::string_view(text).substr(begin, at - begin);
    double scale = 0;
    for (const DurationUnit& known : kDurationUnits) {
      if (known.name == unit) scale = known.nanoseconds;
    }
    if (!digits || scale == 0) {
      Invalid(where + ": " + Quoted(text) + " is no duration: write one such as \"5m\" or \"90s\"");
    }
    total += number / place * scale;
    if (!(total <= kLongestDuration)) Invalid(where + ": " + Quoted(text) + " is more than a year");
  }
  return Duration(static_cast<std::int64_t>(total));
}

const std::string& Plain(const std::string& where, const std::string& text) {
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      Invalid(where + ": " + Quoted(text) + " has a control character");
    }
  }
  return text;
}

StringMap ReadMap(const drover::Json& config, std::string_view member) {
  StringMap out;
  const drover::Json& map = config[member];
  if (map.is_null()) return out;
  for (const auto& [key, value] : map.AsObject()) out[key] = value.AsString();
  return out;
}

const drover::Json& ReadObject(const drover::Json& config, std::string_view member) {
  static const drover::Json kEmpty{drover::Json::Object{}};
  const drover::Json& found = config[member];
  return found.is_null() ? kEmpty : found;
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (;;) {
    const std::size_t at = text.find(separator);
    out.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool HasPrefix(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::int64_t ReadNumber(const std::string& where, std::string_view text, std::int64_t largest) {
  std::int64_t out = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() ||
      out < 0 || out > largest) {
    Invalid(where + ": " + Quoted(text) + " is no whole number from 0 to " +
            std::to_string(largest));
  }
  return out;
}

bool Matches(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resumed = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      resumed = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == text[at]) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++resumed;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

bool IsAddress(const std::string& text) {
  in6_addr address{};
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

}  // namespace drover_docker
