// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/state/records.h"

namespace drover {

// Returns whether a job with the list DATACENTERS may run in DATACENTER. Entries of the list may
// contain *.
bool IsInDatacenters(const std::vector<std::string>& datacenters, const std::string& datacenter);
// Returns whether NODE is in the node pool of JOB. Every node is in the pool "all".
bool IsInNodePool(const Job& job, const NodeRecord& node);
// Returns whether NODE is in the region of JOB. A job that names no region has the region
// "global". Such a job belongs to the region in which it was submitted.
bool IsInRegion(const Job& job, const NodeRecord& node);

// Returns the number of available nodes, by datacenter, for a job with the list DATACENTERS. The
// only node is in DATACENTER. If an entry of the list does not match DATACENTER, the result has
// the text of the entry as a key, with the number 0.
std::map<std::string, int> NodesAvailable(const std::vector<std::string>& datacenters,
                                          const std::string& datacenter);

}  // namespace drover
