// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/device/device_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <system_error>

#include "host/base/text.h"

namespace drover {
namespace {

enum class Dimension { kBytes, kByteRate, kFrequency, kPower };

struct Unit {
  std::string_view name;
  Dimension dimension;
  double factor;
};

constexpr double kK = 1e3, kM = 1e6, kG = 1e9, kT = 1e12, kP = 1e15, kE = 1e18;
constexpr double kKi = 0x1p10, kMi = 0x1p20, kGi = 0x1p30, kTi = 0x1p40, kPi = 0x1p50, kEi = 0x1p60;

using enum Dimension;
constexpr Unit kUnits[] = {
    {"B", kBytes, 1},          {"kB", kBytes, kK},        {"KB", kBytes, kK},
    {"MB", kBytes, kM},        {"GB", kBytes, kG},        {"TB", kBytes, kT},
    {"PB", kBytes, kP},        {"EB", kBytes, kE},        {"KiB", kBytes, kKi},
    {"MiB", kBytes, kMi},      {"GiB", kBytes, kGi},      {"TiB", kBytes, kTi},
    {"PiB", kBytes, kPi},      {"EiB", kBytes, kEi},      {"B/s", kByteRate, 1},
    {"kB/s", kByteRate, kK},   {"KB/s", kByteRate, kK},   {"MB/s", kByteRate, kM},
    {"GB/s", kByteRate, kG},   {"TB/s", kByteRate, kT},   {"PB/s", kByteRate, kP},
    {"EB/s", kByteRate, kE},   {"KiB/s", kByteRate, kKi}, {"MiB/s", kByteRate, kMi},
    {"GiB/s", kByteRate, kGi}, {"TiB/s", kByteRate, kTi}, {"PiB/s", kByteRate, kPi},
    {"EiB/s", kByteRate, kEi}, {"Hz", kFrequency, 1},     {"kHz", kFrequency, kK},
    {"MHz", kFrequency, kM},   {"GHz", kFrequency, kG},   {"mW", kPower, 1e-3},
    {"W", kPower, 1},          {"kW", kPower, kK},        {"MW", kPower, kM},
    {"GW", kPower, kG},
};

const Unit* FindUnit(std::string_view name) {
  const auto found = std::ranges::find(kUnits, name, &Unit::name);
  return found == std::end(kUnits) ? nullptr : &*found;
}

std::optional<double> NumberOf(const DeviceValue& of) {
  if (const auto* whole = std::get_if<std::int64_t>(&of.value)) return static_cast<double>(*whole);
  if (const auto* broken = std::get_if<double>(&of.value)) return *broken;
  return std::nullopt;
}

std::string NumberText(double number) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::string(text.data(), end) : std::string("?");
}

}  // namespace

std::string DeviceValue::Text() const {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  const auto* whole = std::get_if<std::int64_t>(&value);
  const std::string number =
      whole != nullptr ? std::to_string(*whole) : NumberText(std::get<double>(value));
  return unit.empty() ? number : number + " " + unit;
}

DeviceValue ParseDeviceValue(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  if (trimmed == "true") return {true};
  if (trimmed == "false") return {false};
  const auto end = trimmed.find_first_not_of("+-.0123456789");
  std::string_view digits = trimmed.substr(0, end);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const std::string_view unit = end == trimmed.npos ? "" : Trim(trimmed.substr(end));
  const bool may_be_number = !digits.empty() && (unit.empty() || IsKnownUnit(unit));
  if (may_be_number) {
    if (const auto whole = ParseNumber<std::int64_t>(digits)) return {*whole, std::string(unit)};
    const auto broken = ParseNumber<double>(digits);
    if (broken && std::isfinite(*broken)) return {*broken, std::string(unit)};
  }
  return {std::string(text)};
}

bool IsKnownUnit(std::string_view unit) { return FindUnit(unit) != nullptr; }

std::partial_ordering Compare(const DeviceValue& left, const DeviceValue& right) {
  const std::optional<double> a = NumberOf(left), b = NumberOf(right);
  if (a && b) {
    const auto* x = std::get_if<std::int64_t>(&left.value);
    const auto* y = std::get_if<std::int64_t>(&right.value);
    if (left.unit == right.unit) return x != nullptr && y != nullptr ? *x <=> *y : *a <=> *b;
    const Unit* const of_a = FindUnit(left.unit);
    const Unit* const of_b = FindUnit(right.unit);
    const bool same = of_a != nullptr && of_b != nullptr && of_a->dimension == of_b->dimension;
    return same ? *a * of_a->factor <=> *b * of_b->factor : std::partial_ordering::unordered;
  }
  if (left.value.index() != right.value.index()) return std::partial_ordering::unordered;
  if (const auto* text = std::get_if<std::string>(&left.value)) {
    return *text <=> std::get<std::string>(right.value);
  }
  return left.value == right.value ? std::partial_ordering::equivalent
                                   : std::partial_ordering::unordered;
}

}  // namespace drover
