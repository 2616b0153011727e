// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_place.h"

namespace drover {

// Adds the faults of the volumes of GROUP, and of the places where its tasks mount them. AT is the
// place of the group, which is a group of a job of TYPE. [part of CheckJob]
void CheckVolumes(JobType type, const TaskGroup& group, const JobPlace& at);

}  // namespace drover
