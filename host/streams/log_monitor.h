// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/common.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/loop.h"
#include "host/base/result.h"

namespace spdlog {
class logger;
}

namespace drover {

class LogMonitor;

// Returns the level for trace, debug, info, warn or error in any case, or nothing for another text.
std::optional<spdlog::level::level_enum> ParseLogLevel(std::string_view text);

struct LogWatchOptions {
  spdlog::level::level_enum level = spdlog::level::info;  // only lines of this level and above
  // Whether each line is a JSON object. Otherwise the lines are text.
  bool json = false;
  // The maximum number of bytes that may wait for the watcher.
  std::size_t most_bytes = 64 << 10;
};

// One watcher of a log. Use it only on the thread of its loop.
class LogWatch {
 public:
  LogWatch(LogMonitor* monitor, Loop* loop, LogWatchOptions options);
  LogWatch(const LogWatch&) = delete;
  LogWatch& operator=(const LogWatch&) = delete;
  ~LogWatch();

  // Waits for lines, and returns all whole lines since the last call. If lines were dropped because
  // there was no room, the result also has a line with the number of dropped lines.
  Co<Result<std::string>> Next(Context context);

 private:
  friend class LogMonitor;
  struct Queue;
  LogMonitor* const monitor_;
  const std::shared_ptr<Queue> queue_;
};

// Lets watchers read the program's log, each watcher at its own level. The monitor never waits for
// a watcher. Lines for which there is no room are dropped and counted. [any thread]
class LogMonitor {
 public:
  // Adds a sink to LOGGER. The sinks that LOGGER already has get the present level of LOGGER. Call
  // the constructor before other threads log.
  explicit LogMonitor(std::shared_ptr<spdlog::logger> logger);
  LogMonitor(const LogMonitor&) = delete;
  LogMonitor& operator=(const LogMonitor&) = delete;
  ~LogMonitor();  // all watchers must be destroyed before the monitor

  // Sets the level of all sinks except the watchers.
  void SetLevel(spdlog::level::level_enum level);

 private:
  friend class LogWatch;
  class Sink;
  void Update();

  const std::shared_ptr<spdlog::logger> logger_;
  const std::shared_ptr<Sink> sink_;
  std::mutex mutex_;                 // guards the levels
  spdlog::level::level_enum level_;  // the level of all sinks except the watchers
};

}  // namespace drover
