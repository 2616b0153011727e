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

// Accepts trace, debug, info, warn or error in any case; returns nothing for another text.
std::optional<spdlog::level::level_enum> ParseLogLevel(std::string_view text);

struct LogWatchOptions {
  spdlog::level::level_enum level = spdlog::level::info;  // and all more severe ones
  bool json = false;                                      // an object per line, else text
  std::size_t most_bytes = 64 << 10;                      // that may wait for the reader
};

// One watcher of a log. Used on the thread of its loop.
class LogWatch {
 public:
  LogWatch(LogMonitor* monitor, Loop* loop, LogWatchOptions options);
  LogWatch(const LogWatch&) = delete;
  LogWatch& operator=(const LogWatch&) = delete;
  ~LogWatch();

  // Returns the lines since the last call: whole lines, at least one. If some were dropped for lack
  // of room, a line in their place says how many.
  Co<Result<std::string>> Next(Context context);

 private:
  friend class LogMonitor;
  struct Queue;
  LogMonitor* const monitor_;
  const std::shared_ptr<Queue> queue_;
};

// Lets watchers read the program's log, each at a level of its own. It never waits for them: lines
// for which there is no room are dropped and counted. [any thread]
class LogMonitor {
 public:
  // Joins LOGGER, and keeps its present sinks at its present level. Call it before other threads
  // log.
  explicit LogMonitor(std::shared_ptr<spdlog::logger> logger);
  LogMonitor(const LogMonitor&) = delete;
  LogMonitor& operator=(const LogMonitor&) = delete;
  ~LogMonitor();  // all watchers must be gone

  // Sets the level of all sinks except the watchers.
  void SetLevel(spdlog::level::level_enum level);

 private:
  friend class LogWatch;
  class Sink;
  void Update();

  const std::shared_ptr<spdlog::logger> logger_;
  const std::shared_ptr<Sink> sink_;
  std::mutex mutex_;                 // guards the levels
  spdlog::level::level_enum level_;  // of all sinks except the watchers
};

}  // namespace drover
