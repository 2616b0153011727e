// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/datacenters.h"

#include <algorithm>

namespace drover {

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  // After a mismatch, the last star matches one more character, and the comparison continues after
  // the star. Earlier stars never have to match more characters.
  std::size_t at = 0, star = std::string_view::npos, resume = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resume = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

bool IsInDatacenters(const std::vector<std::string>& datacenters, const std::string& datacenter) {
  return std::ranges::any_of(
      datacenters, [&](const std::string& pattern) { return MatchesGlob(pattern, datacenter); });
}

bool IsInNodePool(const Job& job, const NodeRecord& node) {
  return job.node_pool == "all" || job.node_pool == node.node_pool;
}

bool IsInRegion(const Job& job, const NodeRecord& node) {
  return job.region == "global" || job.region == node.region;
}

std::map<std::string, int> NodesAvailable(const std::vector<std::string>& datacenters,
                                          const std::string& datacenter) {
  std::map<std::string, int> available;
  for (const std::string& pattern : datacenters) {
    if (MatchesGlob(pattern, datacenter)) {
      available[datacenter] = 1;
    } else {
      available.emplace(pattern, 0);
    }
  }
  return available;
}

}  // namespace drover
