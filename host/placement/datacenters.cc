// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/datacenters.h"

#include <algorithm>

#include "host/base/glob.h"

namespace drover {

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
