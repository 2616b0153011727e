// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/spec/job.h"

// Jobs that an agent has stored which did not carry out policies of changes: rollouts, health after
// migrations, reschedules and disconnections. It took some that are refused now.
namespace drover {

// Gives the groups of JOB the default in place of each policy of changes that is refused. Returns
// whether there was one.
bool DropWrongChanges(Job* job);

// Gives the groups of JOB the policies of the same groups of SENT. It leaves alone what such an
// agent has carried out: health in the update block, and how many allocations migrate at a time.
void TakeOverChanges(const Job& sent, Job* job);

// Removes the blocks with policies of changes from JSON, a job and its groups.
void EraseChanges(nlohmann::json* json);

}  // namespace drover
