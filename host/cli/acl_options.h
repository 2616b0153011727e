// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/cli/command.h"

namespace drover {

// The options for the policies of a token or a role.
struct PolicyOptions {
  std::vector<std::string> policies;  // names

  void Declare(CLI::App* command, const char* what);
};

// The options for the policies and roles of a token.
struct TokenLinkOptions {
  PolicyOptions of;
  std::vector<std::string> role_names;
  std::vector<std::string> role_ids;

  void Declare(CLI::App* command);
  // Writes what was given into TOKEN, and leaves the rest as it is.
  void AddTo(nlohmann::json* token) const;
};

// Returns POLICIES as an agent reads those of a role.
nlohmann::json PolicyLinks(const std::vector<std::string>& policies);

}  // namespace drover
