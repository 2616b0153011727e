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
  // If false, the follower returns when it reaches the end that the stream had when reading began.
  // If the stream has no file, the follower returns at once.
  bool follow = true;
  // Reads the files. If null, the calling thread reads them. Pool and watcher must outlive the
  // follower.
  WorkerPool* pool = nullptr;
  // Reports changes. If null, the follower looks for new data every kPoll.
  LogWatcher* watcher = nullptr;
};

// Reads one stream of a task from START on, and continues with new data. The worker pool reads the
// files, so that a disk that hangs blocks a worker and not the loop. Belongs to the thread of its
// loop.
class LogFollower : public LiveCount<LogFollower> {
 public:
  using Sink = std::function<void(LogChunk)>;
  // A function that receives the chunks. The next chunk is read only after the sink has returned,
  // so a slow sink does not let chunks fill the memory. If the sink returns an error, the follower
  // ends.
  using CoSink = std::function<Co<Status>(LogChunk)>;

  static constexpr Duration kPoll = 100ms;
  // How often the follower looks for new data although it has a watch. This is needed because some
  // file systems do not report every change.
  static constexpr Duration kWatchedPoll = 5s;
  static constexpr std::size_t kChunk = 64 << 10;

  // DIRECTORY is a path. The follower opens it as soon as it exists.
  LogFollower(Loop* loop, std::string directory, std::string task, std::string stream, Sink sink,
              LogFollowOptions options);
  // DIRECTORY is a file descriptor from OpenLogDirectory.
  LogFollower(Loop* loop, UniqueFd directory, std::string task, std::string stream, CoSink sink,
              LogFollowOptions options);

  // Returns an error with the reason if the context ends or the sink fails. Returns success at the
  // end of the present data if Finish was called, if the option FOLLOW is false, or if the
  // directory has been removed. May be called only once.
  Co<Status> Follow(Context context);
  // Does the same as Follow, without a result.
  Co<void> Run(Context context);
  // Must be called when no more data will come. Then Follow and Run return at the end of the
  // present data.
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
