// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace drover {

// Which allocations somebody has wanted otherwise, by the index of the write: so that a node which
// asks again does not read all that it has. Remembers the last changes only.
class WantedLog {
 public:
  explicit WantedLog(std::size_t most = 8192) : most_(most) {}

  void Add(std::uint64_t index, const std::string& id) {
    if (changes_.size() == most_) {
      known_since_ = changes_.front().first;
      changes_.pop_front();
    }
    changes_.emplace_back(index, id);
  }

  // The ids of what was changed by writes after INDEX; nothing if that is not known any more.
  std::optional<std::set<std::string>> Since(std::uint64_t index) const {
    if (index < known_since_) return std::nullopt;
    std::set<std::string> ids;
    for (auto at = changes_.rbegin(); at != changes_.rend() && at->first > index; ++at)
      ids.insert(at->second);
    return ids;
  }

 private:
  std::size_t most_;
  std::deque<std::pair<std::uint64_t, std::string>> changes_;  // by rising index
  std::uint64_t known_since_ = 0;
};

}  // namespace drover
