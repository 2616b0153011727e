// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace drover {

// A shell's completion script calls this program with this first argument to request candidates.
// The other arguments are the words of the command line after the program's name. The last word is
// incomplete.
inline constexpr char kCompleteArgument[] = "__complete";

// The candidates for the last word that are known without a request to an agent.
struct Completion {
  std::vector<std::string> words;
  // The kind of the ids that are also candidates: "job", "alloc", "node", "eval",
  // "scaling" or "namespace". The kind is "any" for the ids of all records. Empty if no ids are
  // candidates.
  std::string ids_of;
  // The endings of the files that are also candidates, such as ".hcl". Empty if no files are.
  std::vector<std::string> file_endings;
};
Completion Complete(const CLI::App& app, const std::vector<std::string>& words);

// Prints the candidates for the last of WORDS, one a line. Requests ids from the agent that the
// environment variables name.
int CompleteCommand(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace drover
