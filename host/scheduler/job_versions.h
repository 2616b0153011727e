// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/scheduler/tables.h"

// Changes that users make to a version of a job after its registration. Each returns the changed
// version, which the caller stores. kNotFound: there is no such job, version or tag.
namespace drover {

// Finds a version by its number; without one, the newest version. Never null.
Result<std::shared_ptr<const JobRecord>> FindVersion(const Tables& tables, const JobKey& key,
                                                     std::optional<std::uint64_t> number);

// Returns the version with TAG, which replaces an older tag. kInvalidArgument: another version has
// a tag of that name, too many versions are tagged, or TAG has no name or is too long.
Result<JobRecord> WithTag(const Tables& tables, const JobKey& key,
                          std::optional<std::uint64_t> number, VersionTag tag);
// Returns the version that is tagged NAME, without the tag.
Result<JobRecord> WithoutTag(const Tables& tables, const JobKey& key, const std::string& name);

Result<JobRecord> WithStability(const Tables& tables, const JobKey& key, std::uint64_t number,
                                bool stable);

}  // namespace drover
