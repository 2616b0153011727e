// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/cli/job_places.h"
#include "host/cli/job_source.h"
#include "host/spec/job.h"
#include "host/spec/job_faults.h"

namespace drover {

struct JobFile {
  Job job;
  std::string place;               // JSON pointer to the job in the file
  std::vector<JobFault> warnings;  // about fields that have no effect
  std::string hcl_warnings;        // lines for people
  JobPlaces places;                // of the fields in the file
};
// Reads the job in a file, which is in HCL or JSON. The error lists every mistake. The code of the
// error is Code::kInvalidArgument if the job is wrong, and another code if the file cannot be read.
Result<JobFile> ReadJobFile(const std::string& path, const HclOptions& options);

// Prints the warnings about the job in FILE to standard error.
void PrintWarnings(const std::string& command, const std::string& file, const JobFile& job);

}  // namespace drover
