// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/agent/agent_config.h"
#include "host/base/result.h"
#include "host/spec/job.h"
#include "host/spec/job_faults.h"

namespace drover {

// The configuration of a command: that of CONFIG_FILE, or none, and every plugin of PLUGIN_DIRS.
Result<AgentConfig> CommandConfig(const std::string& config_file,
                                  const std::vector<std::string>& plugin_dirs);

// The text of a job file ("-": of standard input), which is no larger than what an agent takes.
Result<std::string> ReadJobText(const std::string& path);

struct JobFile {
  Job job;
  std::string place;               // the job's JSON pointer in the file
  std::vector<JobFault> warnings;  // what of it is not carried out
};
// The job in a file. Every mistake is in the error: Code::kInvalidArgument when the job is wrong,
// another code when the file cannot be read.
Result<JobFile> ReadJobFile(const std::string& path);

// Prints what of the job in FILE is not carried out to standard error.
void PrintWarnings(const std::string& command, const std::string& file, const JobFile& job);

// Prints "drover COMMAND: MESSAGE" to standard error.
void PrintError(const std::string& command, const Error& error);

}  // namespace drover
