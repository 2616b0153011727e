// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/spec/job.h"
#include "host/spec/job_faults.h"

namespace drover {

// Reads a job, alone or as {"Job": ...}, and fills in its defaults. The Job that it returns is
// valid. The error (Code::kInvalidArgument) lists every fault with its JSON pointer. If not null,
// FAULTS receives the faults one by one, PLACE the job's own pointer ("/Job" or ""), and WARNINGS
// the fields that are accepted but not carried out. Does not check that drivers exist and accept
// their configuration: the host of the plugins does. [any thread]
Result<Job> ParseJob(std::string_view json, std::vector<JobFault>* faults = nullptr,
                     std::string* place = nullptr, std::vector<JobFault>* warnings = nullptr);

// Adds the faults of a job, however it was made, to FAULTS. POINTER is the place of the job in its
// JSON.
void CheckJob(const Job& job, const std::string& pointer, JobFaults* faults);

// The job with all its defaults; ParseJob reads the same job from it.
std::string JobToJson(const Job& job);

}  // namespace drover
