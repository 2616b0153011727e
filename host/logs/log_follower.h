// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/live_count.h"
#include "host/base/worker_pool.h"
#include "host/logs/log_reader.h"
#include "host/logs/log_watcher.h"

namespace drover {

struct LogFollowOptions {
  LogStart start;
  // False: Run returns at what was the end when it began, or at once when there is no file.
  bool follow = true;
  // Null: reads on the calling thread; both outlive the follower.
  WorkerPool* pool = nullptr;
  // Null: looks every kPoll.
  LogWatcher* watcher = nullptr;
};

// Reads one stream of a task from the oldest file on, and goes on with what is added. Files are
// read on the worker pool: a disk that hangs holds a worker and not the loop. On the thread of its
// loop.
class LogFollower : public LiveCount<LogFollower> {
 public:
  using Sink = std::function<void(LogChunk)>;
  // The next chunk is read when the sink has returned, so a slow reader costs no memory. Its error
  // ends the follower.
  using CoSink = std::function<Co<Status>(LogChunk)>;

  static constexpr Duration kPoll = 100ms;
  // With a watch: for file systems that do not tell of every change.
  static constexpr Duration kWatchedPoll = 5s;
  static constexpr std::size_t kChunk = 64 << 10;

  // DIRECTORY is opened when it is first there.
  LogFollower(Loop* loop, std::string directory, std::string task, std::string stream, Sink sink,
              LogFollowOptions options);
  // DIRECTORY: see OpenLogDirectory.
  LogFollower(Loop* loop, UniqueFd directory, std::string task, std::string stream, CoSink sink,
              LogFollowOptions options);

  // Returns when the context ends (its error), the sink fails (its error), or at the end: after
  // Finish, without follow, or when the directory has been removed. Once.
  Co<Status> Follow(Context context);
  // The same without the reason.
  Co<void> Run(Context context);
  // Nothing will be added any more: Run returns at the end.
  void Finish() { finish_.Set(); }

 private:
  Co<LogReader::Step> ReadOnPool();
  Co<void> WaitForMore(Context context);

  const LogFollowOptions options_;
  const CoSink sink_;
  LogReader reader_;
  std::unique_ptr<LogWatcher::Watch> watch_;
  Event finish_;
};

}  // namespace drover
