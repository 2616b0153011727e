// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/spec/job.h"
#include "host/spec/job_faults.h"

namespace drover {

// Reads a job, alone or as {"Job": ...}, and fills in its defaults. The returned Job is valid. The
// error (Code::kInvalidArgument) lists every fault with its JSON pointer. The other results are
// optional. FAULTS receives the faults one by one, and PLACE the JSON pointer of the job ("/Job"
// or ""). WARNINGS receives the fields that are accepted but not carried out. ParseJob does not
// check that drivers exist and accept their configuration. The host of the plugins checks that
// later. [any thread]
Result<Job> ParseJob(std::string_view json, std::vector<JobFault>* faults = nullptr,
                     std::string* place = nullptr, std::vector<JobFault>* warnings = nullptr);

// Reads a job that an agent has stored with JobToJson. An earlier version may have taken policies
// of changes that are refused now; the groups get the default in their place, and *DROPPED is true
// if there was one.
Result<Job> ParseStoredJob(std::string_view json, bool* dropped);

// Adds the faults of JOB to FAULTS. JOB need not come from ParseJob. POINTER is the JSON pointer
// of the job in its text.
void CheckJob(const Job& job, const std::string& pointer, JobFaults* faults);

// Returns the JSON of JOB with all its defaults. ParseJob reads the same job from it.
std::string JobToJson(const Job& job);

}  // namespace drover
