// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "host/cli/alloc_argument.h"
#include "host/client/api_streams.h"
#include "host/commands/commands.h"
#include "host/view/task_output.h"

namespace drover {
namespace {

// The number of lines that --tail prints without -n.
constexpr std::int64_t kTailLines = 10;
// To find the last lines of a log, the command first reads this number of bytes from the end of
// the log.
constexpr std::int64_t kTailBytes = 64 << 10;
constexpr Duration kWait = 1h;  // maximum time of one wait, which ends earlier if data arrives

// Where in a log the output begins. If neither member has a value, the output begins at the start
// of the log.
struct LogBeginning {
  std::optional<std::int64_t> lines;  // begins this number of lines before the end of the log
  std::optional<std::int64_t> bytes;
};

// The log of one output stream of a task, stdout or stderr.
class LogStream {
 public:
  LogStream(const std::string& task, const char* type, std::FILE* to)
      : query_({{"task", task}, {"type", type}, {"plain", "true"}}), output_(to) {}

  // Finds the position at which START begins in the log at PATH.
  Status Begin(ApiClient* client, const std::string& path, const LogBeginning& start) {
    if (start.bytes) {
      BeginBeforeEnd(*start.bytes);
    } else if (start.lines) {
      const Result<std::optional<std::int64_t>> tail = FindTail(client, path, *start.lines);
      // If the log does not exist, the later call of Ask reports this error, or waits for the log.
      if (!tail.ok() && tail.code() != Code::kNotFound) return tail.error();
      if (tail.ok() && *tail) {
        BeginBeforeEnd(**tail);
        first_cut_ = true;
      }
    }
    return {};
  }

  void Ask(ApiStreams* streams, const std::string& path, bool follow) {
    if (follow) query_.emplace_back("follow", "true");
    streams->Ask(
        "GET", path, query_, [this](std::string_view some) { Take(some); },
        [this](const Status& status) {
          output_.End();
          ended_ = status;
        });
  }
  const std::optional<Status>& ended() const { return ended_; }

 private:
  void BeginBeforeEnd(std::int64_t bytes) {
    query_.emplace_back("origin", "end");
    query_.emplace_back("offset", std::to_string(bytes));
  }

  // Returns the number of bytes from the line break before the last LINES lines to the end of the
  // log. Returns no value if the log has at most LINES lines.
  Result<std::optional<std::int64_t>> FindTail(ApiClient* client, const std::string& path,
                                               std::int64_t lines) const {
    for (std::int64_t asked = kTailBytes;; asked *= 4) {
      Query tail = query_;
      tail.emplace_back("origin", "end");
      tail.emplace_back("offset", std::to_string(asked));
      std::string text;
      DROVER_TRY(client->Stream(path, tail, [&text](std::string_view some) { text += some; }));
      std::int64_t breaks = 0;
      // The loop skips the last byte, because a line break there belongs to the last line.
      for (std::size_t at = text.empty() ? 0 : text.size() - 1; at-- > 0;) {
        if (text[at] == '\n' && ++breaks == lines) {
          return std::optional(static_cast<std::int64_t>(text.size() - at));
        }
      }
      if (static_cast<std::int64_t>(text.size()) < asked) return std::optional<std::int64_t>();
    }
  }

  void Take(std::string_view some) {
    if (first_cut_) {
      const std::size_t end = some.find('\n');
      first_cut_ = end == std::string_view::npos;
      some.remove_prefix(first_cut_ ? some.size() : end + 1);
    }
    output_.Write(some);
  }

  Query query_;
  TaskOutput output_;
  bool first_cut_ = false;  // true while Take must still skip the bytes up to the first line break
  std::optional<Status> ended_;
};

using LogStreams = std::vector<std::unique_ptr<LogStream>>;

struct AllocLogsCommand {
  AllocArgument alloc;
  std::string task;
  bool standard_output = false;
  bool standard_error = false;
  bool follow = false;
  bool tail = false;
  LogBeginning start;

  void Declare(CLI::App* command) {
    alloc.Declare(command);
    command->add_option("TASK,--task", task, "The task, if there are several");
    command->add_flag("--stdout", standard_output,
                      "Its standard output, as is done without -f unless --stderr is given");
    command->add_flag("--stderr", standard_error,
                      "Its standard error; with -f both, unless one is named");
    command->add_flag("-f,--follow", follow, "Goes on with what it writes");
    command->add_flag("--tail", tail, "Begins with the last 10 lines");
    command->add_option("-n", start.lines, "Begins with so many of the last lines")
        ->check(CLI::PositiveNumber);
    command->add_option("-c", start.bytes, "Begins with so many of the last bytes")
        ->check(CLI::NonNegativeNumber);
    AddNote(command,
            "Of both, the standard error is printed to the standard error, and -n and -c mean so "
            "many of each.");
  }

  Result<int> Run(ApiClient* client) const {
    DROVER_ASSIGN(const std::string id, alloc.Find(client));
    DROVER_ASSIGN(const std::string name, FindTaskName(client, id, task));
    const std::string path = ApiPath("/v1/client/fs/logs", id);
    LogBeginning from = start;
    if (tail && !from.lines) from.lines = kTailLines;
    const LogStreams logs = WantedStreams(name);
    DROVER_ASSIGN(ApiStreams streams, client->OpenStreams());
    for (const auto& log : logs) {
      DROVER_TRY(log->Begin(client, path, from));
      log->Ask(&streams, path, follow);
      // Without --follow, a log is printed to its end before the next log begins.
      if (!follow) DROVER_TRY(WaitFor(&streams, *log));
    }
    for (const auto& log : logs) DROVER_TRY(WaitFor(&streams, *log));
    DROVER_TRY(Outcome(logs));
    return kExitOk;
  }

  // If the user wants both streams, each is written to this program's stream of the same name. If
  // the user wants one stream, it is written to standard output.
  LogStreams WantedStreams(const std::string& name) const {
    const bool none = !standard_output && !standard_error;
    const bool output = standard_output || none;
    const bool errors = standard_error || (none && follow);
    LogStreams wanted;
    if (output) wanted.push_back(std::make_unique<LogStream>(name, "stdout", stdout));
    if (errors) {
      wanted.push_back(std::make_unique<LogStream>(name, "stderr", output ? stderr : stdout));
    }
    return wanted;
  }

  static Status WaitFor(ApiStreams* streams, const LogStream& log) {
    while (!log.ended()) DROVER_TRY(streams->Wait(-1, kWait));
    return {};
  }

  // Returns the error to report. If one of several logs does not exist, that is no error.
  static Status Outcome(const LogStreams& logs) {
    Status missing;
    bool any = false;
    for (const auto& log : logs) {
      const Status& ended = *log->ended();
      any = any || ended.ok();
      if (ended.ok()) continue;
      if (ended.code() != Code::kNotFound) return ended;
      missing = ended;
    }
    return any ? Status() : missing;
  }
};

}  // namespace

void AddAllocLogs(const ClientGroup& alloc) {
  alloc.AddPlain<AllocLogsCommand>("logs", "Prints what a task has written");
}

}  // namespace drover
