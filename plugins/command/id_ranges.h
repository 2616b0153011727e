// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace command {

// A set of user or group ids. Operators write it as a list of ids and ranges: "0,10-20,1000".
class IdRanges {
 public:
  IdRanges() = default;
  // Parses TEXT. If TEXT is no list of ids and ranges, throws drover::Error with a message that
  // begins with WHAT.
  static IdRanges Parse(const std::string& text, const std::string& what);

  bool Contains(std::uint32_t id) const;

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // first and last id of each range
};

}  // namespace command
