// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/client/api_client.h"

namespace drover {

// The answer to a request about variables.
struct VariableAnswer {
  nlohmann::json body;     // of a conflict: the variable as it is
  bool conflict = false;   // it has another modify index than the one that was to be checked
  std::string next_token;  // empty on the last page of a list
};

// Sends REQUEST, whose answer is JSON or empty. An error has no part of a variable.
Result<VariableAnswer> AskAboutVariables(ApiClient* client, ClientRequest request);

// Returns a request with METHOD for the variable at PATH in the namespace of the options; else in
// NAME_SPACE, if it is not empty.
ClientRequest VariableRequest(const ApiClient& client, const std::string& method,
                              const std::string& path, const std::string& name_space = "");

// Returns what a conflict means for whoever wanted the modify index CHECKED. THERE is the variable
// as it is.
Error ConflictOf(std::uint64_t checked, const nlohmann::json& there);

}  // namespace drover
