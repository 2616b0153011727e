// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "id_ranges.h"

#include <charconv>

#include "drover/error.hpp"

namespace command {
namespace {

std::string Trim(const std::string& text) {
  std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Parses one id. Refuses the largest number, since for the kernel it means "no id".
bool ParseId(const std::string& text, std::uint32_t* out) {
  const char* end = text.data() + text.size();
  auto result = std::from_chars(text.data(), end, *out, 10);
  return result.ec == std::errc() && result.ptr == end && *out != UINT32_MAX;
}

}  // namespace

IdRanges IdRanges::Parse(const std::string& text, const std::string& what) {
  IdRanges out;
  if (Trim(text).empty()) return out;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t comma = text.find(',', begin);
    if (comma == std::string::npos) comma = text.size();
    std::string part = Trim(text.substr(begin, comma - begin));
    begin = comma + 1;
    std::size_t dash = part.find('-');
    std::string first = Trim(part.substr(0, dash));
    std::string last = dash == std::string::npos ? first : Trim(part.substr(dash + 1));
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    if (!ParseId(first, &low) || !ParseId(last, &high) || low > high) {
      throw drover::Error(
          drover::Code::kInvalidArgument,
          what + ": \"" + part + "\" is no id and no range of ids; write them as 0,10-20,1000");
    }
    out.ranges_.emplace_back(low, high);
  }
  return out;
}

bool IdRanges::Contains(std::uint32_t id) const {
  for (const auto& range : ranges_) {
    if (range.first <= id && id <= range.second) return true;
  }
  return false;
}

}  // namespace command
