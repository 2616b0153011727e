// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/spec/allocation.h"

namespace drover {

// An allocation as a server has sent it.
struct WireAlloc {
  // Has no job if `refusal` is set.
  Allocation alloc;
  // Why this node cannot carry it out, with the names of the fields. The node must then report the
  // allocation as failed with this text.
  std::optional<Error> refusal;
  // The tokens of the tasks' default identities, by task.
  StringMap identities;
  // Allocations of this node that must end before this one starts, since it has their room.
  std::vector<std::string> preempted;
};

// Reads an allocation for the node NODE_ID of DATACENTER. An error means that VALUE is no
// allocation of this node at all, and names the wrong member. [any thread]
Result<WireAlloc> ReadWireAlloc(const nlohmann::json& value, const std::string& node_id,
                                const std::string& datacenter);

// Returns whether ID is a UUID in lower case. Ids of allocations become names of files, so others
// are refused.
bool IsWireUuid(std::string_view id);

}  // namespace drover
