// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/byte_size.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "host/base/text.h"

namespace drover {

std::optional<std::uint64_t> ParseByteSize(std::string_view text) {
  text = Trim(text);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::optional<double> number = ParseNumber<double>(text.substr(0, end));
  std::string unit(Trim(text.substr(end)));
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!number) return std::nullopt;
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    constexpr std::string_view kPrefixes = "kmgt";
    const std::size_t power = kPrefixes.find(unit[0]);
    const std::string_view rest = std::string_view(unit).substr(1);
    const bool is_binary = rest == "ib";
    if (power == kPrefixes.npos || (!is_binary && !rest.empty() && rest != "b")) {
      return std::nullopt;
    }
    factor = std::pow(is_binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  const double bytes = *number * factor;
  if (!(bytes <= 0x1p62)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace drover
