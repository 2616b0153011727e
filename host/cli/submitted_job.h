// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/client/api_client.h"
#include "host/view/terminal.h"

namespace drover {

// A job to send to an agent. Only the agent checks it.
struct SubmittedJob {
  nlohmann::json job;
  std::string id;
};

// Reads the job in the file PATH, where "-" is standard input.
Result<SubmittedJob> ReadSubmittedJob(const std::string& path);

// Returns the query parameter with the namespace from the options. The agent gives that namespace
// to a job that names none.
Query NamespaceQuery(const ApiClient& client);

// Prints the warnings in ANSWER, an answer of an agent.
void PrintWarnings(Terminal* terminal, const nlohmann::json& answer);

}  // namespace drover
