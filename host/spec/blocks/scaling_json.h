// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/spec/job_members.h"

namespace drover {

// Reads the block of a group, if IN, the group, has one. If the group has no count of its own, the
// minimum becomes its count. Call it after the count is read. [part of ParseJob]
void ReadGroupScaling(const JobMembers& in, TaskGroup* group);
void ReadTaskScaling(const JobMembers& in, ScalingPolicy* policy);

nlohmann::json ScalingToJson(const ScalingPolicy& policy);
nlohmann::json ScalingsToJson(
    const std::vector<ScalingPolicy>& policies);  // null if there are none

// Removes the fields of the scaling blocks of JOB, in canonical form, that only answers have. A
// client that reads a job and sends it back includes them.
void EraseScalingAnswers(nlohmann::json* job);

// These functions disable all scaling policies of a job. Its JSON is in canonical form. The first
// one returns whether any policy was enabled.
bool DisableScaling(Job* job);
void DisableScaling(nlohmann::json* job);

}  // namespace drover
