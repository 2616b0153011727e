// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace command {

// A set of user or group ids: "0,10-20,1000".
class IdRanges {
 public:
  IdRanges() = default;
  // Throws drover::Error, which names WHAT, if TEXT is no such list.
  static IdRanges Parse(const std::string& text, const std::string& what);

  bool Contains(std::uint32_t id) const;

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // with both ends
};

}  // namespace command
