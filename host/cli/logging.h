// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover {

// Sends the program's own log to standard error: output is for results. LEVEL and FORMAT are those
// of the configuration: trace, debug, info, warn or error; text or json.
void SetUpLogging(const std::string& level, const std::string& format = "text");

}  // namespace drover
