// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace drover {

// The first argument with which the script of a shell asks what may follow. The other arguments are
// the words of the command line behind the program; the last one is incomplete.
inline constexpr char kCompleteArgument[] = "__complete";

// The candidates for the last one of WORDS that the program knows.
struct Completion {
  std::vector<std::string> words;
  std::string ids_of;  // "job", "alloc", "node" or "eval": ids that an agent knows; empty: none
};
Completion Complete(const CLI::App& app, const std::vector<std::string>& words);

// Prints what may follow, one word a line, with ids of the agent that the environment names.
int CompleteCommand(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace drover
