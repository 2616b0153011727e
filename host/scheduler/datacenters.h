// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/scheduler/records.h"

namespace drover {

// Whether TEXT matches PATTERN, in which * stands for any letters, or none.
bool MatchesGlob(std::string_view pattern, std::string_view text);

// Whether a job that names DATACENTERS may be in DATACENTER.
bool IsInDatacenters(const std::vector<std::string>& datacenters, const std::string& datacenter);
// Whether NODE is in the region of JOB. A job that names no region has "global", which means the
// region in which it was submitted.
bool IsInRegion(const Job& job, const NodeRecord& node);

// The number of nodes, by datacenter, for a job that names DATACENTERS, when the only node is in
// DATACENTER. An entry that does not match it counts 0 under its own text.
std::map<std::string, int> NodesAvailable(const std::vector<std::string>& datacenters,
                                          const std::string& datacenter);

}  // namespace drover
