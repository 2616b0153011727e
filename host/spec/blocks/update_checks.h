// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/job_place.h"

namespace drover {

// Adds the faults of the update block and of the migrate block of GROUP, a group of a job of TYPE.
// AT is the place of the group. [part of CheckJob]
void CheckChanges(JobType type, const TaskGroup& group, const JobPlace& at);

// Returns why no canary of GROUP, a group of a job of TYPE, can stand on the node of an allocation
// of the group; empty if it has no canaries, or if one can.
std::string WhyNoCanaryBeside(JobType type, const TaskGroup& group);

}  // namespace drover
