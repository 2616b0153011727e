// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/spec/allocation.h"

namespace drover {

// Reads the result of the last plugin of a network: the addresses that the allocation has on the
// interface NAME of its namespace, and how it looks names up. Refuses a result without an address,
// and whatever is no address. [any thread]
Result<AllocationNetwork> ReadCniResult(const nlohmann::json& result, const std::string& name);

}  // namespace drover
