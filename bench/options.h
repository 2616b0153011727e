// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace drover::bench {

// The default of idle tasks in a program without that option.
inline constexpr int kNoIdle = -1;

struct Options {
  int tasks = 1000;  // of one round
  int rounds = 5;
  int idle = 500;  // tasks that are idle together; 0: do not measure them
};

// Reads the command line of PROGRAM, with its defaults. Without a value, the program must end with
// EXIT_CODE: this has printed an error, or the help.
std::optional<Options> ReadOptions(const char* program, Options defaults, int argc, char** argv,
                                   int* exit_code);

}  // namespace drover::bench
