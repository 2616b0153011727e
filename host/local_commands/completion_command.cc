// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "host/local_commands/local_commands.h"

namespace drover {
namespace {

constexpr char kBash[] = R"(_drover() {
  local i
  mapfile -t COMPREPLY < <(
    "${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # bash inserts these words as they are, so the name of a file could otherwise be a command.
  for i in "${!COMPREPLY[@]}"; do printf -v "COMPREPLY[$i]" %q "${COMPREPLY[$i]}"; done
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace
}
complete -o default -F _drover drover
)";
constexpr char kZsh[] = R"(#compdef drover
_drover() {
  local -a found
  found=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z "${found[1]}" ]]; then _files; return; fi
  compadd -- "${(@)found:#*/}"
  compadd -S '' -- "${(@M)found:#*/}"
}
compdef _drover drover
)";
constexpr char kFish[] = R"(function __drover_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c drover -a '(__drover_complete)'
)";

struct CompletionCommand {
  std::string shell;

  void Declare(CLI::App* command) {
    command->add_option("SHELL", shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->footer("In bash: source <(drover completion bash)");
  }

  int Run() const {
    std::fputs(shell == "zsh" ? kZsh : (shell == "fish" ? kFish : kBash), stdout);
    return kExitOk;
  }
};

}  // namespace

void AddCompletion(const CommandGroup& drover) {
  drover.Add<CompletionCommand>(
      "completion", "Prints the script by which a shell completes commands, options and ids");
}

}  // namespace drover
