// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_place.h"

namespace drover {

// Adds the faults of the networks of GROUP, and of those in the older place, the resources of its
// tasks. AT is the place of the group. [part of CheckJob]
void CheckNetworks(const TaskGroup& group, const JobPlace& at);

}  // namespace drover
