// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/govalues/value.h"

// Values as Go's package fmt writes them. Each function writes at most MOST bytes, and returns an
// error if that is not enough, or if a value is nested too deep.
namespace drover::templates {

inline constexpr int kDeepestValue = 200;

Result<std::string> Sprint(const List& values, std::size_t most);
Result<std::string> Sprintln(const List& values, std::size_t most);
Result<std::string> Sprintf(std::string_view format, const List& values, std::size_t most);
// Returns the text that an action writes for VALUE.
Result<std::string> PrintedText(const Value& value, std::size_t most);

}  // namespace drover::templates
