// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/spec/allocation.h"

namespace drover {

// Checks that the interface and the addresses of NETWORK are really in the network namespace. An
// error says what is missing. Blocks for about a millisecond. [any thread]
Status CheckAddresses(const UniqueFd& network_namespace, const AllocationNetwork& network);

// Returns whether a process is in the network namespace. Looks at each process of the machine.
// Blocks for some milliseconds. [any thread]
bool HasProcess(const UniqueFd& network_namespace);

// Returns what plugins may have reported of the interface NAME in the network namespace, whose file
// is PATH: its addresses. Null if it has none, or they cannot be found. It stands in for a result
// that was lost, since some plugins remove only rules for the addresses of a result. VERSION is
// that of the interface of plugins. Blocks for about a millisecond. [any thread]
nlohmann::json FoundResult(const UniqueFd& network_namespace, const std::string& path,
                           const std::string& name, const std::string& version);

}  // namespace drover
