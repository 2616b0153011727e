// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/spec/job.h"
#include "host/spec/job_faults.h"

namespace drover {

// Reads a job, alone or as {"Job": ...}: defaults are filled in, and a Job that comes back is
// valid. The error (Code::kInvalidArgument) lists every fault with its JSON pointer; FAULTS, if not
// null, receives them one by one; PLACE, if not null, the job's own pointer: "/Job" or "";
// WARNINGS, if not null, what is taken but not carried out. Whether drivers exist and take their
// configuration is for the host of the plugins to say. [any thread]
Result<Job> ParseJob(std::string_view json, std::vector<JobFault>* faults = nullptr,
                     std::string* place = nullptr, std::vector<JobFault>* warnings = nullptr);

// What is wrong with a job, however it was made. POINTER is the place of the job in its JSON.
void CheckJob(const Job& job, const std::string& pointer, JobFaults* faults);

// The job with all its defaults; ParseJob reads the same job from it.
std::string JobToJson(const Job& job);

}  // namespace drover
