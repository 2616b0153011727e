// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace drover::bench {

// As a default of idle tasks: the program has no such option.
inline constexpr int kNoIdle = -1;

struct Options {
  int tasks = 1000;  // of one round
  int rounds = 5;
  int idle = 500;  // tasks that are idle together; 0: do not measure them
};

// Of the command line of PROGRAM, with its defaults; without a value it has been told what is
// wrong, or --help.
std::optional<Options> ReadOptions(const char* program, Options defaults, int argc, char** argv,
                                   int* exit_code);

}  // namespace drover::bench
