// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/cli/client_commands.h"
#include "host/cli/table.h"
#include "host/cli/terminal.h"

namespace drover {

// Connects and runs COMMAND, which returns the exit code. An error of it is printed as that of
// "drover NAME": exit code 1, or 2 when the command line is wrong.
int RunClientCommand(
    const std::string& name, const ClientCommandOptions& options,
    const std::function<Result<int>(ApiClient* client, Terminal* terminal)>& command);

// Follows an evaluation that the agent has answered with as "EvalID", unless the command shall not
// wait or there is none. ANSWER is what --json prints, together with what came of it.
Result<int> FollowAnswer(ApiClient* client, Terminal* terminal, const ClientCommandOptions& options,
                         const nlohmann::json& answer);

// Prints ANSWER as --json or --t wants it; the exit code. Only where one of them was given.
Result<int> PrintAnswer(const ClientCommandOptions& options, const nlohmann::json& answer);

// Asks QUESTION on the terminal. Without one it is an error that tells to use --yes.
Result<bool> Confirmed(const std::string& question);

// The allocation that OPTIONS mean: its own id is given, or its job.
Result<std::string> FindAlloc(ApiClient* client, const AllocOptions& options);

// The task of the allocation ID that is meant: TASK, or the only one if that is empty.
Result<std::string> FindTaskName(ApiClient* client, const std::string& id, const std::string& task);

// A table of allocations, which are the stubs of a list.
TextTable AllocTable(const nlohmann::json& stubs, bool full_ids);

}  // namespace drover
