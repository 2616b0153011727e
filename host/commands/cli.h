// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Reads the command line, runs the command and returns the exit code of the process.
int RunCli(int argc, char** argv);

}  // namespace drover
