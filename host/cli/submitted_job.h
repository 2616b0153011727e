// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/cli/terminal.h"
#include "host/client/api_client.h"

namespace drover {

// A job for an agent, which checks it.
struct SubmittedJob {
  nlohmann::json job;
  std::string id;
};

// The job in the file PATH; "-" is standard input.
Result<SubmittedJob> ReadSubmittedJob(const std::string& path);

// The query that names the namespace of the options. Jobs that name none get it.
Query NamespaceQuery(const ApiClient& client);

// Prints the warnings in the answer of an agent.
void PrintWarnings(Terminal* terminal, const nlohmann::json& answer);

}  // namespace drover
