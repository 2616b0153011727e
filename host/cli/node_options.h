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
  bool self = false;  // the node of the agent that is asked

  void Declare(CLI::App* command);
  bool empty() const { return id.empty() && !self; }
  // Throws the command line's own error for a missing argument when no node is named.
  Status Require() const;
  Result<std::string> Find(ApiClient* client) const;
};

// The option --node-id.
struct NodeIdOption {
  std::string id;  // or its beginning; empty: the node of the agent that is asked

  void Declare(CLI::App* command);
  Result<std::string> Find(ApiClient* client) const;
};

// The object of PAIRS, each of which is "KEY=VALUE". OPTION stands before a wrong pair in the
// error.
Result<nlohmann::json> KeyValues(const std::vector<std::string>& pairs, const std::string& option);

}  // namespace drover
