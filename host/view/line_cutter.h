// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace drover {

// Splits a stream into lines. Also splits a line of more than kMaxLine bytes, since a task may
// never write a line break.
class LineCutter {
 public:
  static constexpr std::size_t kMaxLine = 16 << 10;

  // Adds DATA. Returns the lines that DATA completes.
  std::vector<std::string> Add(const std::string& data);
  // Removes and returns the text after the last line break. The text may be empty.
  std::string TakeRest();

 private:
  std::string rest_;
};

}  // namespace drover
