// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/base/ids.h"

namespace drover {

// The values are those of enum drover_log_level.
enum class PluginLogLevel { kTrace = 0, kDebug = 1, kInfo = 2, kWarn = 3, kError = 4 };

// Writes a message of a plugin or about a plugin. RUN is null if the message concerns no run. The
// text is valid UTF-8 without control characters. The function must not block. [any thread]
using PluginLogSink = std::function<void(PluginLogLevel level, const std::string& plugin,
                                         const RunId* run, const std::string& message)>;

// Returns a sink that writes to the program's default logger.
PluginLogSink DefaultPluginLog();

}  // namespace drover
