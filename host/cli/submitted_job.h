// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/cli/job_places.h"
#include "host/cli/job_source.h"
#include "host/client/api_client.h"
#include "host/view/terminal.h"

namespace drover {

// A job that is sent to an agent. The agent checks the job, and this program does not.
struct SubmittedJob {
  nlohmann::json job;
  std::string id;
  nlohmann::json submission;  // what was written; see JobSource
  JobPlaces places;           // of the fields in the file, for what the agent says of them
};

// Reads the job in the file PATH, which is in HCL or JSON; "-" is standard input. Prints the
// warnings of HCL to standard error.
Result<SubmittedJob> ReadSubmittedJob(const std::string& path, const HclOptions& options);

// Returns a query parameter with the namespace in the options. The agent uses this namespace if the
// job names none.
Query NamespaceQuery(const ApiClient& client);

// Prints the warnings in ANSWER, which an agent has sent.
void PrintWarnings(Terminal* terminal, const nlohmann::json& answer);

}  // namespace drover
