// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What looks into allocations: files, and commands beside their tasks.
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/exec_client.h"
#include "host/cli/json_fields.h"
#include "host/cli/readable.h"
#include "host/cli/task_output.h"

namespace drover {
namespace {

using nlohmann::json;

Result<int> PrintFiles(Terminal* terminal, const AllocOptions& options, const json& files) {
  if (options.raw()) return PrintAnswer(options, files);
  TextTable table({"Mode", "Size", "Modified", "Name"});
  for (const json& file : AsList(files)) {
    table.Add({TextField(file, "FileMode"),
               Amount(static_cast<std::uint64_t>(NumberField(file, "Size"))),
               Moment(TextField(file, "ModTime")),
               TextField(file, "Name") + (FlagField(file, "IsDir") ? "/" : "")});
  }
  table.Print(terminal);
  return kExitOk;
}

Result<int> Files(ApiClient* client, Terminal* terminal, const AllocOptions& options) {
  DROVER_ASSIGN(const std::string id, FindAlloc(client, options));
  const Query query = {{"path", options.path}};
  DROVER_ASSIGN(const json file, client->Get(ApiPath("/v1/client/fs/stat", id), query));
  if (options.stat) return PrintFiles(terminal, options, json::array({file}));
  if (FlagField(file, "IsDir")) {
    DROVER_ASSIGN(const json list, client->Get(ApiPath("/v1/client/fs/ls", id), query));
    return PrintFiles(terminal, options, list);
  }
  TaskOutput output(stdout);
  DROVER_TRY(client->Stream(ApiPath("/v1/client/fs/cat", id), query,
                            [&output](std::string_view some) { output.Write(some); }));
  output.End();
  return kExitOk;
}

Result<int> Exec(ApiClient* client, const AllocOptions& options) {
  DROVER_ASSIGN(const std::string id, FindAlloc(client, options));
  DROVER_ASSIGN(const std::string task, FindTaskName(client, id, options.task));
  ExecClientOptions session;
  session.input = options.interactive;
  const bool terminals = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  session.tty = options.interactive && !options.no_tty && (options.tty || terminals);
  if (session.tty && isatty(STDIN_FILENO) != 1) {
    return Error(Code::kInvalidArgument, "-t needs a terminal as standard input");
  }
  const Query query = {{"task", task},
                       {"command", json(options.command).dump()},
                       {"tty", session.tty ? "true" : "false"}};
  DROVER_ASSIGN(const std::unique_ptr<WebSocketClient> socket,
                client->OpenWebSocket(ApiPath("/v1/client/allocation", id, "/exec"), query));
  const Result<int> code = ExecClient(socket.get(), session).Run();
  if (code.ok()) return *code;
  return Error(code.code(), "failed to exec into task: " + code.error().message());
}

}  // namespace

int AllocFsCommand(const AllocOptions& options) {
  return RunClientCommand("alloc fs", options,
                          [&](auto* client, auto* out) { return Files(client, out, options); });
}

int AllocExecCommand(const AllocOptions& options) {
  return RunClientCommand("alloc exec", options,
                          [&](auto* client, auto*) { return Exec(client, options); });
}

}  // namespace drover
