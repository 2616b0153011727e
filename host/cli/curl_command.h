// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/client/client_options.h"
#include "host/client/http_client.h"

namespace drover {

// Returns a command for a shell that sends REQUEST to the agent of OPTIONS by curl, one option a
// line. OPTIONS must come from WithEnvironment. The command reads a body from standard input. It
// has no password: curl asks for it. It has no token that TOKEN_VARIABLE, an environment variable,
// contains; the variable stands in the token's place. TOKEN_VARIABLE is empty if there is none.
Result<std::string> CurlCommand(const ClientRequest& request, const ClientOptions& options,
                                const std::string& token_variable, bool verbose);

}  // namespace drover
