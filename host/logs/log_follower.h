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
  // False: reads up to the end that the stream had at the beginning; returns at once without a
  // file.
  bool follow = true;
  // Null: reads on the calling thread. Both must outlive the follower.
  WorkerPool* pool = nullptr;
  // Null: looks every kPoll.
  LogWatcher* watcher = nullptr;
};

// Reads one stream of a task from the oldest file on, and continues with new data. Files are read
// on the worker pool, so that a disk that hangs blocks a worker and not the loop. Belongs to the
// thread of its loop.
class LogFollower : public LiveCount<LogFollower> {
 public:
  using Sink = std::function<void(LogChunk)>;
  // The next chunk is read when the sink has returned, so a slow sink costs no memory. An error of
  // the sink ends the follower.
  using CoSink = std::function<Co<Status>(LogChunk)>;

  static constexpr Duration kPoll = 100ms;
  // The same with a watch, since some file systems do not report every change.
  static constexpr Duration kWatchedPoll = 5s;
  static constexpr std::size_t kChunk = 64 << 10;

  // DIRECTORY is opened as soon as it exists.
  LogFollower(Loop* loop, std::string directory, std::string task, std::string stream, Sink sink,
              LogFollowOptions options);
  // DIRECTORY: see OpenLogDirectory.
  LogFollower(Loop* loop, UniqueFd directory, std::string task, std::string stream, CoSink sink,
              LogFollowOptions options);

  // Returns when the context ends or the sink fails, with that error, or at the end: after Finish,
  // without follow, or when the directory has been removed. Call once.
  Co<Status> Follow(Context context);
  // The same, without a result.
  Co<void> Run(Context context);
  // No more data will come: Run returns at the end of the present data.
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
