// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace drover {

// Cuts a stream into lines. It cuts a long line, since a task may write no line break at all.
class LineCutter {
 public:
  static constexpr std::size_t kMaxLine = 16 << 10;

  // The lines that DATA completes.
  std::vector<std::string> Add(const std::string& data);
  // The rest without a line break; it may be empty.
  std::string TakeRest();

 private:
  std::string rest_;
};

}  // namespace drover
