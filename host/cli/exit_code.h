// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"

namespace drover {

// The exit codes that all commands use.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // the job, the test or the command failed
inline constexpr int kExitUsage = 2;   // the command line, the configuration or the job is wrong
// A newer version has written the agent's files, so a restart does not help. The agent's systemd
// unit contains this code.
inline constexpr int kExitNewer = 3;
inline constexpr int kExitInterrupted = 130;

// Prints "drover COMMAND: MESSAGE" to standard error.
void PrintError(const std::string& command, const Error& error);
// Prints as PrintError does and returns CODE, for the end of a command.
int Fail(const std::string& command, const Error& error, int code);

}  // namespace drover
