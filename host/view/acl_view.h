// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/view/table.h"
#include "host/view/terminal.h"

namespace drover {

// These functions show tokens, policies and roles to people. Each takes an agent's answer.

// Prints a token. The secret is only printed if the answer has it.
void PrintToken(Terminal* terminal, const nlohmann::json& token);
void PrintPolicy(Terminal* terminal, const nlohmann::json& policy);
void PrintRole(Terminal* terminal, const nlohmann::json& role);
TextTable TokenTable(const nlohmann::json& tokens);
TextTable PolicyTable(const nlohmann::json& policies);
TextTable RoleTable(const nlohmann::json& roles);

}  // namespace drover
