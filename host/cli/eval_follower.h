// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/cli/output.h"
#include "host/client/api_client.h"

namespace CLI {
class App;
}

namespace drover {

// The options of a command that starts an evaluation and waits until it has ended.
struct WaitOptions {
  bool detach = false;   // if true, the command does not wait
  bool verbose = false;  // if true, ids are printed in full
  // If false, a deployment that the evaluation makes is not waited for. No option sets this.
  bool with_deployment = true;

  void Declare(CLI::App* command);
};

// The help text about the exit codes that FollowAnswer returns.
inline constexpr char kWaitCodes[] =
    "Exit code: 0 every allocation is placed and has started, and the deployment is successful if "
    "there is one, 1 an error, an allocation has failed, or the deployment has, 2 something could "
    "not be placed; it is when there is room for it.";

// Follows the evaluation whose id is "EvalID" in ANSWER. Returns when the evaluation has ended, and
// its deployment, too. Without a deployment, returns when none of its allocations is pending.
// Prints each change. With --json or a template, prints only ANSWER and the last states, and only
// at the end. If ANSWER names no evaluation, or with --detach, returns without a wait. Returns the
// exit code.
Result<int> FollowAnswer(ApiClient* client, Output* out, const WaitOptions& options,
                         const nlohmann::json& answer);

}  // namespace drover
