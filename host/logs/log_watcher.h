// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/event.h"
#include "host/base/loop.h"

namespace drover {

// Reports changes in directories or files to all followers of an agent. Each agent has only one
// watcher, because the kernel limits the inotify instances of a user. The watcher belongs to the
// thread of its loop. Its watches may belong to other threads.
class LogWatcher {
 public:
  // How long the watcher collects changes before it reports them. So a task that writes without a
  // pause wakes its followers at most once per kGather.
  static constexpr Duration kGather = 20ms;

  explicit LogWatcher(Loop* loop);
  LogWatcher(const LogWatcher&) = delete;
  LogWatcher& operator=(const LogWatcher&) = delete;
  ~LogWatcher();

  // A watch on one directory or file. The destructor ends the watch. A watch belongs to the thread
  // of its loop, which must outlive the watch.
  class Watch {
   public:
    ~Watch();
    // Each change sets this event. The caller must reset the event before it looks for new data.
    Event& changed() { return *changed_; }

   private:
    friend class LogWatcher;
    friend struct LogWatcherState;
    Watch(std::shared_ptr<struct LogWatcherState> state, int id, Loop* loop);
    std::shared_ptr<struct LogWatcherState> state_;
    const int id_;
    const std::shared_ptr<Event> changed_;
  };

  // Watches the directory or file that is open as FD. The watch belongs to the thread of LOOP,
  // which must be the calling thread. Returns null if the kernel allows no more watches. The caller
  // must then look for changes from time to time. [any thread]
  std::unique_ptr<Watch> Add(Loop* loop, int fd);

  // Returns the number of watched objects, for tests and metrics. [any thread]
  std::size_t watched() const;

 private:
  std::shared_ptr<struct LogWatcherState> state_;
};

}  // namespace drover
