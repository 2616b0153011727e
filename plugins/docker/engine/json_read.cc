// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/json_read.h"

#include <charconv>
#include <cstdint>

#include "drover/error.hpp"

namespace drover_docker {
namespace {

const nlohmann::json kNoJson;
constexpr int kMostDepth = 100;

// Takes exactly DIGITS digits.
bool TakeDigits(std::string_view* text, std::size_t digits, int* out) {
  if (text->size() < digits) return false;
  const auto [end, error] = std::from_chars(text->data(), text->data() + digits, *out);
  if (error != std::errc() || end != text->data() + digits || *out < 0) return false;
  text->remove_prefix(digits);
  return true;
}

bool TakeOne(std::string_view* text, std::string_view of) {
  if (text->empty() || of.find(text->front()) == of.npos) return false;
  text->remove_prefix(1);
  return true;
}

// The days since 1970 of a date of the Gregorian calendar.
std::int64_t DaysSinceEpoch(int year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t in_era = y - era * 400;
  const std::int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

}  // namespace

nlohmann::json ParseJson(std::string_view text, const std::string& action) {
  bool too_deep = false;
  const auto check = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > kMostDepth) too_deep = true;
    return !too_deep;
  };
  nlohmann::json out = nlohmann::json::parse(text, check, false);
  if (out.is_discarded() || too_deep) {
    throw drover::Error(drover::Code::kUnavailable,
                        action + ": the container engine answers with something that is no JSON",
                        true);
  }
  return out;
}

const nlohmann::json& At(const nlohmann::json& value, JsonPath path) {
  const nlohmann::json* at = &value;
  for (const std::string_view key : path) {
    if (!at->is_object()) return kNoJson;
    const auto found = at->find(std::string(key));
    if (found == at->end()) return kNoJson;
    at = &*found;
  }
  return *at;
}

std::string TextAt(const nlohmann::json& value, JsonPath path, std::string fallback) {
  const nlohmann::json& found = At(value, path);
  return found.is_string() ? found.get<std::string>() : fallback;
}

std::int64_t IntAt(const nlohmann::json& value, JsonPath path, std::int64_t fallback) {
  const nlohmann::json& found = At(value, path);
  if (found.is_number_unsigned()) {
    const auto number = found.get<std::uint64_t>();
    return number > static_cast<std::uint64_t>(INT64_MAX) ? fallback
                                                          : static_cast<std::int64_t>(number);
  }
  return found.is_number_integer() ? found.get<std::int64_t>() : fallback;
}

std::uint64_t CountAt(const nlohmann::json& value, JsonPath path, std::uint64_t fallback) {
  const nlohmann::json& found = At(value, path);
  if (found.is_number_unsigned()) return found.get<std::uint64_t>();
  if (found.is_number_integer()) {
    const auto number = found.get<std::int64_t>();
    return number < 0 ? fallback : static_cast<std::uint64_t>(number);
  }
  if (!found.is_number_float()) return fallback;
  const double number = found.get<double>();
  return number >= 0 && number < 9e18 ? static_cast<std::uint64_t>(number) : fallback;
}

bool BoolAt(const nlohmann::json& value, JsonPath path, bool fallback) {
  const nlohmann::json& found = At(value, path);
  return found.is_boolean() ? found.get<bool>() : fallback;
}

drover::StringMap TextsAt(const nlohmann::json& value, JsonPath path) {
  drover::StringMap out;
  const nlohmann::json& found = At(value, path);
  if (!found.is_object()) return out;
  for (auto at = found.begin(); at != found.end(); ++at) {
    if (at->is_string()) out[at.key()] = at->get<std::string>();
  }
  return out;
}

std::int64_t ParseTime(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!TakeDigits(&text, 4, &year) || !TakeOne(&text, "-") || !TakeDigits(&text, 2, &month) ||
      !TakeOne(&text, "-") || !TakeDigits(&text, 2, &day) || !TakeOne(&text, "Tt ") ||
      !TakeDigits(&text, 2, &hour) || !TakeOne(&text, ":") || !TakeDigits(&text, 2, &minute) ||
      !TakeOne(&text, ":") || !TakeDigits(&text, 2, &second)) {
    return 0;
  }
  if (year < 1970 || year > 2261 || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 ||
      minute > 59 || second > 60) {
    return 0;
  }
  std::int64_t nanos = 0;
  if (TakeOne(&text, ".,")) {
    std::int64_t unit = 100'000'000;
    bool any = false;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      nanos += (text.front() - '0') * unit;
      unit /= 10;
      any = true;
      text.remove_prefix(1);
    }
    if (!any) return 0;
  }
  std::int64_t offset = 0;  // seconds
  if (!TakeOne(&text, "Zz")) {
    const bool behind = !text.empty() && text.front() == '-';
    int hours = 0, minutes = 0;
    if (!TakeOne(&text, "+-") || !TakeDigits(&text, 2, &hours) || !TakeOne(&text, ":") ||
        !TakeDigits(&text, 2, &minutes)) {
      return 0;
    }
    offset = (hours * 60 + minutes) * 60 * (behind ? -1 : 1);
  }
  if (!text.empty()) return 0;
  const std::int64_t seconds =
      DaysSinceEpoch(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
  return seconds < 0 ? 0 : seconds * 1'000'000'000 + nanos;
}

}  // namespace drover_docker
