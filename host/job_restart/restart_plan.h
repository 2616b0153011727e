// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/state/tables.h"

namespace drover {

// A restart as a client has requested it: without an id, and without the allocations to restart.
struct RestartRequest {
  JobRestart restart;
  int percent = 0;  // the size of a batch in percent of the allocations; 0 means batch_size
};

// Reads the body of POST /v1/job/ID/restart: BatchSize (a number, or a text such as "20%"),
// BatchWait, OnError ("fail" or "ignore"), AllTasks, Reschedule, NoShutdownDelay, Groups, Tasks. A
// field of another name is an error, so no mistake restarts more than was meant.
Result<RestartRequest> ReadRestartRequest(const nlohmann::json& body);

// Returns the restart of JOB that REQUEST means, with its allocations: those that shall
// run, have no replacement, and are of one of the groups and have one of the tasks. There may be
// none. Error kInvalidArgument means that the job has no such group or task, or that
// its type forbids the restart.
Result<JobRestart> MakeRestart(const RestartRequest& request, const JobRecord& job,
                               const JobAllocs& allocs);

struct RestartBatch {
  std::vector<std::string> allocs;  // the ids of those to restart; empty if nothing is left
  std::uint64_t end = 0;            // of the restart's allocations, how many are done after it
};
// Returns the batch that begins behind the allocations that are done. If an earlier agent has begun
// the batch, this returns it again. Allocations that are gone, are replaced or must stop are left
// out, and others take their places, so that batches keep their size. But of a batch of reschedules
// that is begun, those with a replacement are not left out, since it may not run yet.
RestartBatch NextBatch(const JobRestart& restart, const Tables& tables);

// Returns the tasks of ALLOC that RESTART names, in the order of the group.
std::vector<std::string> TasksToRestart(const JobRestart& restart, const Allocation& alloc);

}  // namespace drover
