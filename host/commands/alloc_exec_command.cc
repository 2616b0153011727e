// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "host/cli/alloc_argument.h"
#include "host/cli/exec_client.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

struct AllocExecCommand {
  AllocArgument alloc;
  std::vector<std::string> command_line;
  std::string task;
  bool interactive = true;
  bool tty = false;
  // If tty and no_tty are both false, the command gets a terminal if this program has one.
  bool no_tty = false;

  void Declare(CLI::App* command) {
    alloc.Declare(command);
    command->add_option("COMMAND", command_line, "The program and its arguments")->required();
    command->add_option("--task", task, "The task, if there are several");
    command->add_flag("-i,!--no-interactive", interactive,
                      "Gives it standard input, as is done anyway");
    CLI::Option* const with_tty =
        command->add_flag("-t", tty, "Gives it a terminal, as is done when this program has one");
    command->add_flag("--no-tty", no_tty, "Gives it none")->excludes(with_tty);
    AddNote(command,
            "Options stand before the ID: what follows it is the command. The exit code is that "
            "of the command, or 1 when there is none.");
  }

  Result<int> Run(ApiClient* client) const {
    DROVER_ASSIGN(const std::string id, alloc.Find(client));
    DROVER_ASSIGN(const std::string name, FindTaskName(client, id, task));
    const bool terminals = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
    const ExecClientOptions session = {.input = interactive,
                                       .tty = interactive && !no_tty && (tty || terminals)};
    if (session.tty && isatty(STDIN_FILENO) != 1) {
      return Error(Code::kInvalidArgument, "-t needs a terminal as standard input");
    }
    const Query query = {{"task", name},
                         {"command", nlohmann::json(command_line).dump()},
                         {"tty", session.tty ? "true" : "false"}};
    DROVER_ASSIGN(const std::unique_ptr<WebSocketClient> socket,
                  client->OpenWebSocket(ApiPath("/v1/client/allocation", id, "/exec"), query));
    const Result<int> code = ExecClient(socket.get(), session).Run();
    if (code.ok()) return *code;
    return Error(code.code(), "failed to exec into task: " + code.error().message());
  }
};

}  // namespace

void AddAllocExec(const ClientGroup& alloc) {
  alloc.AddPlain<AllocExecCommand>("exec", "Runs a command beside a task");
}

}  // namespace drover
