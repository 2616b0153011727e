// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/cli/job_places.h"

namespace CLI {
class App;
}

namespace drover {

// The options of commands that read a job file which may be in HCL.
struct HclOptions {
  std::vector<std::string> variables;  // each NAME=VALUE
  std::vector<std::string> variable_files;
  bool strict = true;
  std::string files_below;  // empty: functions that read files are refused

  void Declare(CLI::App* command);
  // Returns these options as words of a shell, each after a space.
  std::string Words() const;
};

// A job file, as JSON.
struct JobSource {
  // The job in the form of Nomad's API, which may stand alone or as {"Job": ...}. It is not checked
  // yet, and may not even be JSON if the file is not in HCL.
  std::string json;
  // What an agent keeps with the job, so that people can see what they have written: Source,
  // Format, Variables and VariableFlags.
  nlohmann::json submission;
  std::string warnings;  // lines for people
  JobPlaces places;      // of the fields in the file
};

// Reads the job file PATH, which is in HCL or in JSON; "-" is standard input. The environment may
// set variables as NOMAD_VAR_NAME. The error lists every mistake. Its code is
// Code::kInvalidArgument if the file is wrong, and another code if it cannot be read.
Result<JobSource> ReadJobSource(const std::string& path, const HclOptions& options);

}  // namespace drover
