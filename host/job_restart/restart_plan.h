// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/state/tables.h"

namespace drover {

// Reads the body of POST /v1/job/ID/restart: BatchSize (a number, or a text such as "20%"),
// BatchWait, OnError ("fail" or "ignore"), AllTasks, Reschedule, NoShutdownDelay, Groups, Tasks.
Result<JobRestart> ReadRestartRequest(const nlohmann::json& body);

// Fills in the allocations of the job that RESTART means: running or desired to run, without a
// replacement, of the groups and with one of the tasks. Fails if the type of the job forbids it.
Status ChooseAllocs(const JobRecord& job, const JobAllocs& allocs, JobRestart* restart);

// Returns the allocations of the next batch, which are not restarted any more if they have a
// replacement by now, so that batches keep their size.
std::vector<std::string> NextBatch(const JobRestart& restart, const JobAllocs& allocs);

}  // namespace drover
