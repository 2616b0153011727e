// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace drover {

// The ids of the allocations whose desired state has changed, by the index of the write. With this
// log, a node that fetches its allocations again receives only the changes. The log keeps only the
// last writes, which together have at most MOST changes. One string contains all ids of a write.
// Many small strings would be spread between records. Then the memory of freed records could not be
// returned to the operating system.
class WantedLog {
 public:
  explicit WantedLog(std::size_t most = 8192) : most_(most) {}

  // Records that the newest write, which has INDEX, has changed the allocation ID.
  void Add(std::uint64_t index, const std::string& id) {
    if (writes_.empty() || writes_.back().index != index) writes_.push_back({.index = index});
    writes_.back().ids.append(id).push_back(kEnd);
    ++writes_.back().changes;
    ++changes_;
    while (changes_ > most_) {
      changes_ -= writes_.front().changes;
      known_since_ = writes_.front().index;
      writes_.pop_front();
    }
  }

  // Returns the ids that writes after INDEX have changed; absent if the log does not go back that
  // far.
  std::optional<std::set<std::string>> Since(std::uint64_t index) const {
    if (index < known_since_) return std::nullopt;
    std::set<std::string> ids;
    for (auto at = writes_.rbegin(); at != writes_.rend() && at->index > index; ++at) {
      std::string_view left = at->ids;
      while (!left.empty()) {
        const std::size_t end = left.find(kEnd);
        ids.emplace(left.substr(0, end));
        left.remove_prefix(end + 1);
      }
    }
    return ids;
  }

 private:
  static constexpr char kEnd = '\n';  // follows each id in Write::ids
  struct Write {
    std::uint64_t index = 0;
    std::size_t changes = 0;
    std::string ids = {};
  };

  std::size_t most_;
  std::deque<Write> writes_;  // sorted by index
  std::size_t changes_ = 0;   // the number of changes in all of `writes_`
  std::uint64_t known_since_ = 0;
};

}  // namespace drover
