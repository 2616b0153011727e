// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace drover {

// The first argument with which the scripts of a shell ask what may follow; the rest are the words
// of the command line behind the program, the last of which is to be completed.
inline constexpr char kCompleteArgument[] = "__complete";

// What the last of WORDS may become, as far as the program knows.
struct Completion {
  std::vector<std::string> words;
  std::string ids_of;  // "job", "alloc", "node" or "eval": ids that an agent knows; empty: none
};
Completion Complete(const CLI::App& app, const std::vector<std::string>& words);

// Prints what may follow, one word a line, also ids of the agent that the environment names.
int CompleteCommand(const CLI::App& app, const std::vector<std::string>& words);

// Prints the script that makes SHELL ("bash", "zsh" or "fish") complete.
int CompletionScriptCommand(const std::string& shell);

}  // namespace drover
