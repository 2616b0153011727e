// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/scheduler/tables.h"

// What users say of a version of a job after it was registered. Each answers with the version as it
// is to be from then on. kNotFound: there is no such job, version or tag.
namespace drover {

// By their numbers; without a number, the newest. Never null.
Result<std::shared_ptr<const JobRecord>> FindVersion(const Tables& tables, const JobKey& key,
                                                     std::optional<std::uint64_t> number);

// With TAG in the place of one that it may have. kInvalidArgument: another version has one of that
// name, too many versions have one, or the tag is empty or too long.
Result<JobRecord> WithTag(const Tables& tables, const JobKey& key,
                          std::optional<std::uint64_t> number, VersionTag tag);
// The version that is tagged NAME, without the tag.
Result<JobRecord> WithoutTag(const Tables& tables, const JobKey& key, const std::string& name);

Result<JobRecord> WithStability(const Tables& tables, const JobKey& key, std::uint64_t number,
                                bool stable);

}  // namespace drover
