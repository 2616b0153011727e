// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/spec/job.h"

namespace drover {

// A scaling policy of the newest version of a job. It keeps its id as long as each version of the
// job has a policy of the same type for the same group or task.
struct ScalingRecord {
  std::string id;
  std::string job_namespace;
  std::string job_id;
  std::string group;
  std::string task;  // empty: the policy is of the group
  ScalingPolicy policy;
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;  // index of the last change of the policy, not of its job
};

// The policies of a job, in the order of its groups and tasks.
using ScalingRecords = std::vector<std::shared_ptr<const ScalingRecord>>;
using JobScaling = std::shared_ptr<const ScalingRecords>;  // null if the job has none

// Returns the policies of JOB in a write with the index INDEX. BEFORE are those of the version
// before it. If nothing changes, returns BEFORE itself.
JobScaling ScalingOf(const Job& job, const JobScaling& before, std::uint64_t index);

// Converts what JOB does not have itself to JSON: the ids and the indexes. ReadScaling returns
// SCALING again.
nlohmann::json EncodeScaling(const ScalingRecords& scaling);
// Throws nlohmann::json::exception if JSON has not the form of EncodeScaling. A policy of JOB that
// is not in JSON is not in the result.
JobScaling ReadScaling(const Job& job, const nlohmann::json& json);

}  // namespace drover
