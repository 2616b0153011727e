// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/line_cutter.h"

#include <algorithm>
#include <utility>

namespace drover {

std::vector<std::string> LineCutter::Add(const std::string& data) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (from < data.size()) {
    const std::size_t end = data.find('\n', from);
    const std::size_t stop = end == std::string::npos ? data.size() : end;
    const std::size_t take = std::min(stop - from, kMaxLine - rest_.size());
    rest_.append(data, from, take);
    from += take;
    if (from == end) {
      ++from;
    } else if (rest_.size() < kMaxLine) {
      break;  // DATA contains no further line break
    }
    lines.push_back(std::move(rest_));
    rest_.clear();
  }
  return lines;
}

std::string LineCutter::TakeRest() { return std::exchange(rest_, std::string()); }

}  // namespace drover
