// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/client/api_client.h"

namespace drover {

// A record of any kind that a search has found.
struct FoundRecord {
  std::string kind;  // as the API names it: "jobs", "allocs", "evals", "nodes", ...
  std::string id;

  bool operator==(const FoundRecord&) const = default;
};

// Returns the records in ANSWER, the agent's answer to a search, whose ids begin with PREFIX. The
// agent does not compare the last character of some prefixes. TRUNCATED becomes true if the agent
// has left out records.
std::vector<FoundRecord> FoundRecords(const nlohmann::json& answer, const std::string& prefix,
                                      bool* truncated);

// Searches the agent for the records of all kinds whose ids begin with PREFIX, and returns what it
// answers.
Result<nlohmann::json> SearchRecords(ApiClient* client, const std::string& prefix);

// Finds the record with the id PREFIX, or else the only one whose id begins with PREFIX. Returns
// Code::kNotFound if there is none. Returns Code::kFailedPrecondition, with a message that lists
// the records, if there are several.
Result<FoundRecord> FindRecord(ApiClient* client, const std::string& prefix);
// The same for ANSWER, the answer of SearchRecords.
Result<FoundRecord> ChooseRecord(const nlohmann::json& answer, const std::string& prefix);

}  // namespace drover
