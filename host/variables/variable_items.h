// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/identity/sealing.h"
#include "host/identity/secret_bytes.h"
#include "host/variables/variable_record.h"

// The items of variables, which are secrets. No error here contains a value. [any thread]
namespace drover {

// How many bytes the names and values of the items of a variable may have together.
inline constexpr std::size_t kMostItemBytes = std::size_t{64} << 10;

// Checks ITEMS, which a client has sent: an object with at least one text, whose names are not
// empty, of at most kMostItemBytes. The error is kInvalidArgument.
Status CheckItems(const nlohmann::json& items);

// Returns ITEMS, which are JSON, encrypted for the variable at PATH of NAME_SPACE. Nobody can open
// them as those of another variable.
Result<std::string> SealItems(const SealKey& key, const std::string& name_space,
                              const std::string& path, std::string_view items);
// Returns the items of RECORD as JSON. Returns kFailedPrecondition if they were sealed with another
// key, or changed.
Result<SecretBytes> OpenItems(const SealKey& key, const VariableRecord& record);

// Overwrites all texts in VALUE, which somebody could otherwise find in the memory that it leaves.
void WipeJson(nlohmann::json* value);

}  // namespace drover
