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

// The allocations whose desired state has changed, by the index of the write. With it, a node that
// asks again reads only the changes. Remembers only the last ones.
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

  // Returns the ids that writes after INDEX have changed; absent if that is not known any more.
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
