// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Exit codes of every command.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // the job, the test or the command has failed
inline constexpr int kExitUsage = 2;   // the command line, the configuration or the job is wrong
// What is there was made by a newer version: trying again does not help. The unit of the agent
// lists it.
inline constexpr int kExitNewer = 3;
inline constexpr int kExitInterrupted = 130;

// Reads the command line, runs the command and returns the exit code of the process.
int RunCli(int argc, char** argv);

}  // namespace drover
