// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What looks into allocations: logs and files, and commands beside their tasks.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/exec_client.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"
#include "host/cli/log_printer.h"
#include "host/cli/readable.h"

namespace drover {
namespace {

using nlohmann::json;

// So many lines --tail shows unless it is told.
constexpr std::int64_t kTailLines = 10;
// What is asked for when the last lines are looked for; more if they are longer.
constexpr std::int64_t kTailBytes = 64 << 10;

// Writes what tasks have written: as it is, but to a terminal, which it could steer.
class Output {
 public:
  void Write(std::string_view bytes) {
    if (!is_terminal_) {
      std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    } else {
      for (const std::string& line : cutter_.Add(std::string(bytes))) {
        std::fputs((Printable(line) + "\n").c_str(), stdout);
      }
    }
    std::fflush(stdout);
  }
  void End() { std::fputs(Printable(cutter_.TakeRest()).c_str(), stdout); }

 private:
  const bool is_terminal_ = isatty(STDOUT_FILENO) == 1;
  LineCutter cutter_;
};

// The task that is meant: the one that is named, or the only one.
Result<std::string> FindTaskName(ApiClient* client, const std::string& id,
                                 const std::string& task) {
  if (!task.empty()) return task;
  DROVER_ASSIGN(const json alloc, client->Get(ApiPath("/v1/allocation", id)));
  std::string names;
  std::string name;
  const json& states = AsMap(MapField(alloc, "TaskStates"));
  for (const auto& [one, state] : states.items()) {
    names += (names.empty() ? "" : ", ") + one;
    name = one;
  }
  if (states.size() == 1) return name;
  return Error(Code::kInvalidArgument, states.empty()
                                           ? "no task of the allocation has started yet"
                                           : "name one of its tasks with --task: " + names);
}

// The allocation that is meant: its own id may be given, or its job.
Result<std::string> FindAlloc(ApiClient* client, const AllocOptions& options) {
  return options.of_job ? FindAllocOfJob(client, options.id, options.group)
                        : FindId(client, kAllocIds, options.id);
}

// Where the last LINES lines begin: so many bytes before the end, one more than they have; nothing
// when there are no more lines than that.
Result<std::optional<std::int64_t>> FindTail(ApiClient* client, const std::string& path,
                                             const Query& query, std::int64_t lines) {
  for (std::int64_t asked = kTailBytes;; asked *= 4) {
    Query tail = query;
    tail.emplace_back("origin", "end");
    tail.emplace_back("offset", std::to_string(asked));
    std::string text;
    DROVER_TRY(client->Stream(path, tail, [&text](std::string_view some) { text += some; }));
    std::int64_t breaks = 0;
    // A line break at the end belongs to the last line.
    for (std::size_t at = text.empty() ? 0 : text.size() - 1; at-- > 0;) {
      if (text[at] == '\n' && ++breaks == lines) {
        return std::optional(static_cast<std::int64_t>(text.size() - at));
      }
    }
    if (static_cast<std::int64_t>(text.size()) < asked) return std::optional<std::int64_t>();
  }
}

Result<int> Logs(ApiClient* client, const AllocOptions& options) {
  DROVER_ASSIGN(const std::string id, FindAlloc(client, options));
  DROVER_ASSIGN(const std::string task, FindTaskName(client, id, options.task));
  const std::string path = ApiPath("/v1/client/fs/logs", id);
  Query query = {
      {"task", task}, {"type", options.standard_error ? "stderr" : "stdout"}, {"plain", "true"}};
  bool first_cut = false;  // what comes begins with the end of an earlier line
  if (options.bytes) {
    query.emplace_back("origin", "end");
    query.emplace_back("offset", std::to_string(*options.bytes));
  } else if (options.tail || options.lines) {
    const std::int64_t lines = options.lines.value_or(kTailLines);
    DROVER_ASSIGN(const std::optional<std::int64_t> tail, FindTail(client, path, query, lines));
    if (tail) {
      query.emplace_back("origin", "end");
      query.emplace_back("offset", std::to_string(*tail));
      first_cut = true;
    }
  }
  if (options.follow) query.emplace_back("follow", "true");
  Output output;
  DROVER_TRY(client->Stream(path, query, [&](std::string_view some) {
    if (first_cut) {
      const std::size_t end = some.find('\n');
      first_cut = end == std::string_view::npos;
      some.remove_prefix(first_cut ? some.size() : end + 1);
    }
    output.Write(some);
  }));
  output.End();
  return kExitOk;
}

// "2026-11-22T08:22:04Z" without the fraction.
std::string Moment(const std::string& rfc3339) {
  const std::size_t dot = rfc3339.find('.');
  return dot == std::string::npos ? rfc3339 : rfc3339.substr(0, dot) + "Z";
}

Result<int> PrintFiles(Terminal* terminal, const AllocOptions& options, const json& files) {
  if (options.raw()) return PrintAnswer(options, files);
  Table table({"Mode", "Size", "Modified", "Name"});
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
  Output output;
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

int AllocLogsCommand(const AllocOptions& options) {
  return RunClientCommand("alloc logs", options,
                          [&](auto* client, auto*) { return Logs(client, options); });
}

int AllocFsCommand(const AllocOptions& options) {
  return RunClientCommand("alloc fs", options,
                          [&](auto* client, auto* out) { return Files(client, out, options); });
}

int AllocExecCommand(const AllocOptions& options) {
  return RunClientCommand("alloc exec", options,
                          [&](auto* client, auto*) { return Exec(client, options); });
}

}  // namespace drover
