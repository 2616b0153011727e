// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/spec/job.h"
#include "host/spec/job_faults.h"

namespace drover {

// The text of a job file; "-" is standard input. No longer than an agent accepts.
Result<std::string> ReadJobText(const std::string& path);

struct JobFile {
  Job job;
  std::string place;               // the job's JSON pointer in the file
  std::vector<JobFault> warnings;  // fields that have no effect
};
// The job in a file. The error lists every mistake: Code::kInvalidArgument when the job is wrong,
// another code when the file cannot be read.
Result<JobFile> ReadJobFile(const std::string& path);

// Prints the warnings about the job in FILE to standard error.
void PrintWarnings(const std::string& command, const std::string& file, const JobFile& job);

}  // namespace drover
