// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/cli/output.h"
#include "host/client/api_client.h"

namespace CLI {
class App;
}

namespace drover {

// The options of a command that starts an evaluation and waits for it.
struct WaitOptions {
  bool detach = false;   // does not wait
  bool verbose = false;  // ids in full

  void Declare(CLI::App* command);
};

// The exit codes of FollowAnswer, for the help.
inline constexpr char kWaitCodes[] =
    "Exit code: 0 every allocation is placed and has started, 1 an error, or an allocation has "
    "failed, 2 something could not be placed; it is when there is room for it.";

// Follows the evaluation that ANSWER names as "EvalID", until it has ended and none of its
// allocations is pending any more. Prints what happens, or with --json ANSWER and the last states.
// Only prints when there is no evaluation, or with --detach. Returns the exit code.
Result<int> FollowAnswer(ApiClient* client, Output* out, const WaitOptions& options,
                         const nlohmann::json& answer);

}  // namespace drover
