// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace drover {

// The first argument of a call by which a shell's completion script asks for candidates. The other
// arguments are the words of the command line after the program's name. The last word is
// incomplete.
inline constexpr char kCompleteArgument[] = "__complete";

// The candidates for the last word, as far as they are known without an agent.
struct Completion {
  std::vector<std::string> words;
  // "job", "alloc", "node" or "eval" if ids of that kind are candidates, too; else empty.
  std::string ids_of;
};
Completion Complete(const CLI::App& app, const std::vector<std::string>& words);

// Prints the candidates for the last of WORDS, one a line. The ids come from the agent that the
// environment variables name.
int CompleteCommand(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace drover
