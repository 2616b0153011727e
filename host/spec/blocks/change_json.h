// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/spec/job.h"
#include "host/spec/job_members.h"

namespace drover {

// Returns the reschedule policy of a group that sets none. That of system and sysbatch jobs is not
// enabled.
ReschedulePolicy DefaultReschedulePolicy(JobType type);

// Reads the blocks of a job by which groups change, as defaults for its groups. IN are the members
// of the job. [part of ParseJob]
void ReadJobChanges(const JobMembers& in, JobType type, TaskGroup* defaults);
// Reads the same blocks of a group, which has the defaults already.
void ReadGroupChanges(const JobMembers& in, TaskGroup* group);
// Reads how a job starts children, and what a child knows of its start.
void ReadJobStarts(const JobMembers& in, Job* job);

// These add what the functions above read, if it is not the default. [part of JobToJson]
void WriteGroupChanges(const TaskGroup& group, JobType type, nlohmann::json* out);
void WriteJobStarts(const Job& job, nlohmann::json* out);

}  // namespace drover
