// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/state/tables.h"

// Changes that users make to a version of a job after its registration. Each function returns the
// changed version, which the caller must store. Error kNotFound means that there is no such job,
// version or tag.
namespace drover {

// Returns the version NUMBER, or the newest version if NUMBER is absent. The result is never null.
Result<std::shared_ptr<const JobRecord>> FindVersion(const Tables& tables, const JobKey& key,
                                                     std::optional<std::uint64_t> number);

// Returns the version with TAG, which replaces an older tag of that version. Error
// kInvalidArgument means that another version has a tag of this name or that too many versions are
// tagged. It also means that TAG has no name, or that its name or description is too long.
Result<JobRecord> WithTag(const Tables& tables, const JobKey& key,
                          std::optional<std::uint64_t> number, VersionTag tag);
// Returns the version that has the tag NAME, without the tag.
Result<JobRecord> WithoutTag(const Tables& tables, const JobKey& key, const std::string& name);

Result<JobRecord> WithStability(const Tables& tables, const JobKey& key, std::uint64_t number,
                                bool stable);

}  // namespace drover
