// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_place.h"

namespace drover {

inline constexpr std::size_t kMostTaskScalings = 2;  // of a task: one of each type

// What clients hear of a system job with a scaling block. Other clients than ours look for this
// text.
inline constexpr char kNoScalingOfSystemJobs[] =
    "Task groups with job type system do not support scaling blocks";

// Adds the faults of the scaling blocks of GROUP and of its tasks. AT is the place of the group,
// which is a group of a job of TYPE. [part of CheckJob]
void CheckScaling(JobType type, const TaskGroup& group, const JobPlace& at);

}  // namespace drover
