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

// Trace, debug, info, warn or error in any case; nothing for another text.
std::optional<spdlog::level::level_enum> ParseLogLevel(std::string_view text);

struct LogWatchOptions {
  spdlog::level::level_enum level = spdlog::level::info;  // and what is more severe
  bool json = false;                                      // an object per line, else text
  std::size_t most_bytes = 64 << 10;                      // that wait for the reader
};

// One who watches a log. On the thread of its loop.
class LogWatch {
 public:
  LogWatch(LogMonitor* monitor, Loop* loop, LogWatchOptions options);
  LogWatch(const LogWatch&) = delete;
  LogWatch& operator=(const LogWatch&) = delete;
  ~LogWatch();

  // The lines since the last call, whole and at least one. Where there was no room for some, a line
  // in their place says how many.
  Co<Result<std::string>> Next(Context context);

 private:
  friend class LogMonitor;
  struct Queue;
  LogMonitor* const monitor_;
  const std::shared_ptr<Queue> queue_;
};

// Lets others watch what the program logs, each at a level of its own. It never waits for them:
// what finds no room is dropped and counted. [any thread]
class LogMonitor {
 public:
  // Joins LOGGER, and holds what it has written to so far at its level. Before other threads log.
  explicit LogMonitor(std::shared_ptr<spdlog::logger> logger);
  LogMonitor(const LogMonitor&) = delete;
  LogMonitor& operator=(const LogMonitor&) = delete;
  ~LogMonitor();  // nobody watches any more

  // The level of all but those who watch.
  void SetLevel(spdlog::level::level_enum level);

 private:
  friend class LogWatch;
  class Sink;
  void Update();

  const std::shared_ptr<spdlog::logger> logger_;
  const std::shared_ptr<Sink> sink_;
  std::mutex mutex_;                 // of the levels
  spdlog::level::level_enum level_;  // of all but those who watch
};

}  // namespace drover
