// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What a task has written, and what it writes.
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/task_output.h"
#include "host/client/api_streams.h"

namespace drover {
namespace {

// So many lines --tail shows unless it is told.
constexpr std::int64_t kTailLines = 10;
// What is asked for when the last lines are looked for; more if they are longer.
constexpr std::int64_t kTailBytes = 64 << 10;
constexpr Duration kWait = 1h;  // only until something comes

// One of the two streams of a task.
class LogStream {
 public:
  LogStream(const std::string& task, const char* type, std::FILE* to)
      : query_({{"task", task}, {"type", type}, {"plain", "true"}}), output_(to) {}

  // Finds out where OPTIONS want it to begin.
  Status Begin(ApiClient* client, const std::string& path, const AllocOptions& options) {
    if (options.bytes) {
      BeginBeforeEnd(*options.bytes);
    } else if (options.tail || options.lines) {
      const std::int64_t lines = options.lines.value_or(kTailLines);
      const Result<std::optional<std::int64_t>> tail = FindTail(client, path, lines);
      // What is not there, the request itself tells, or waits for.
      if (!tail.ok() && tail.code() != Code::kNotFound) return tail.error();
      if (tail.ok() && *tail) {
        BeginBeforeEnd(**tail);
        first_cut_ = true;
      }
    }
    if (options.follow) query_.emplace_back("follow", "true");
    return {};
  }

  void Ask(ApiStreams* streams, const std::string& path) {
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

  // Where the last LINES lines begin: so many bytes before the end, one more than they have;
  // nothing when there are no more lines than that.
  Result<std::optional<std::int64_t>> FindTail(ApiClient* client, const std::string& path,
                                               std::int64_t lines) const {
    for (std::int64_t asked = kTailBytes;; asked *= 4) {
      Query tail = query_;
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
  bool first_cut_ = false;  // what comes begins with the end of an earlier line
  std::optional<Status> ended_;
};

using LogStreams = std::vector<std::unique_ptr<LogStream>>;

// Those that are wanted. Of both, each goes to its own stream of this program.
LogStreams WantedStreams(const std::string& task, const AllocOptions& options) {
  const bool none = !options.standard_output && !options.standard_error;
  const bool output = options.standard_output || none;
  const bool errors = options.standard_error || (none && options.follow);
  LogStreams wanted;
  if (output) wanted.push_back(std::make_unique<LogStream>(task, "stdout", stdout));
  if (errors) {
    wanted.push_back(std::make_unique<LogStream>(task, "stderr", output ? stderr : stdout));
  }
  return wanted;
}

Status WaitFor(ApiStreams* streams, const LogStream& log) {
  while (!log.ended()) DROVER_TRY(streams->Wait(-1, kWait));
  return {};
}

// A task that has not written to one of two streams is no error.
Status Outcome(const LogStreams& logs) {
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

Result<int> Logs(ApiClient* client, const AllocOptions& options) {
  DROVER_ASSIGN(const std::string id, FindAlloc(client, options));
  DROVER_ASSIGN(const std::string task, FindTaskName(client, id, options.task));
  const std::string path = ApiPath("/v1/client/fs/logs", id);
  const LogStreams logs = WantedStreams(task, options);
  DROVER_ASSIGN(ApiStreams streams, client->OpenStreams());
  for (const auto& log : logs) {
    DROVER_TRY(log->Begin(client, path, options));
    log->Ask(&streams, path);
    // What was written already is told one after the other.
    if (!options.follow) DROVER_TRY(WaitFor(&streams, *log));
  }
  for (const auto& log : logs) DROVER_TRY(WaitFor(&streams, *log));
  DROVER_TRY(Outcome(logs));
  return kExitOk;
}

}  // namespace

int AllocLogsCommand(const AllocOptions& options) {
  return RunClientCommand("alloc logs", options,
                          [&](auto* client, auto*) { return Logs(client, options); });
}

}  // namespace drover
