// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/scheduler/records.h"

namespace drover {

// Whether TEXT is what PATTERN says, in which * stands for any letters, and for none.
bool MatchesGlob(std::string_view pattern, std::string_view text);

// Whether a job that names DATACENTERS may be in DATACENTER.
bool IsInDatacenters(const std::vector<std::string>& datacenters, const std::string& datacenter);
// Whether NODE is in the region of JOB. "global" is that of a job that names none: such a one is of
// the region in which it was submitted.
bool IsInRegion(const Job& job, const NodeRecord& node);

// How many nodes there are for a job that names DATACENTERS when the only one is in DATACENTER: by
// datacenter, and none for each entry that names no datacenter in which there is one.
std::map<std::string, int> NodesAvailable(const std::vector<std::string>& datacenters,
                                          const std::string& datacenter);

}  // namespace drover
