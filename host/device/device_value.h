// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace drover {

// A value that a plugin reports about a device, or with which a job compares one.
struct DeviceValue {
  std::variant<std::string, std::int64_t, double, bool> value;
  std::string unit = {};  // of numbers only, such as "MiB"; empty if the number has none

  bool operator==(const DeviceValue&) const = default;
  // Returns the value as a text: "true", "11264 MiB".
  std::string Text() const;
};

// Reads "true", "11264", "1.5 GiB" or "11264MiB". Any other text is a text.
DeviceValue ParseDeviceValue(std::string_view text);

// Returns whether numbers with the unit UNIT can be compared with numbers of another unit. Numbers
// of an unknown unit can only be compared with numbers of the same one.
bool IsKnownUnit(std::string_view unit);

// Compares two numbers, after their units, two texts, or two booleans. Different booleans, and
// values of different kinds, are unordered.
std::partial_ordering Compare(const DeviceValue& left, const DeviceValue& right);

}  // namespace drover
