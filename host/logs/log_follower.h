// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/live_count.h"
#include "host/base/worker_pool.h"
#include "host/logs/log_files.h"

namespace drover {

struct LogChunk {
  std::string data;
  int index = 0;            // of the file it is from
  std::int64_t offset = 0;  // in that file, behind the data
};

// Reads one stream of a task from the oldest file on, and goes on with what is added. Files are
// read on the worker pool: a disk that hangs holds a worker and not the control thread. Control
// thread.
class LogFollower : public LiveCount<LogFollower> {
 public:
  using Sink = std::function<void(LogChunk)>;
  static constexpr Duration kPoll = 100ms;
  static constexpr std::size_t kChunk = 64 << 10;

  // DIRECTORY is opened when it is first there. What is passed as pointers outlives this. POOL may
  // be null: reads on the calling thread.
  LogFollower(Loop* loop, WorkerPool* pool, std::string directory, std::string task,
              std::string stream, Sink sink);

  // Returns when the context ends, or, after Finish, at the end of what is there.
  Co<void> Run(Context context);
  // Nothing will be added any more: Run returns at the end.
  void Finish() { finish_.Set(); }

 private:
  struct Read {
    std::string data;
    LogPosition next;
    bool more = false;  // there is something to read at once
  };
  // One look at the files, by value: it runs on a worker.
  static Read ReadNext(UniqueFd* directory, const std::string& path, const std::string& task,
                       const std::string& stream, LogPosition at, bool started);
  Co<Read> ReadOnPool();

  WorkerPool* const pool_;
  const std::string path_;
  const std::string task_;
  const std::string stream_;
  const Sink sink_;
  UniqueFd directory_;
  LogPosition at_;
  bool started_ = false;  // a file has been found
  Event finish_;
};

}  // namespace drover
