// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/client/api_client.h"

namespace CLI {
class App;
}

namespace drover {

// The arguments that name a node: its id, or --self.
struct NodeArgument {
  std::string id;
  bool self = false;  // true for the node of the agent that receives the request

  void Declare(CLI::App* command);
  bool empty() const { return id.empty() && !self; }
  // If the user names no node, throws the error that the parser throws for a missing argument.
  Status Require() const;
  Result<std::string> Find(ApiClient* client) const;
};

// The option --node-id.
struct NodeIdOption {
  // An id or the beginning of an id. Empty for the node of the agent that receives the request.
  std::string id;

  void Declare(CLI::App* command);
  Result<std::string> Find(ApiClient* client) const;
};

// Returns a JSON object of PAIRS, each of which must be "KEY=VALUE". The error about a wrong pair
// begins with OPTION.
Result<nlohmann::json> KeyValues(const std::vector<std::string>& pairs, const std::string& option);

}  // namespace drover
