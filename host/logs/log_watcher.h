// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/event.h"
#include "host/base/loop.h"

namespace drover {

// Reports changes in directories or files to all followers of one agent. There is one per agent,
// since the kernel allows a user only few inotify instances. It belongs to the thread of its loop;
// its watches may belong to other threads.
class LogWatcher {
 public:
  // How long changes are gathered: a task that writes without pause wakes its followers at most
  // this often.
  static constexpr Duration kGather = 20ms;

  explicit LogWatcher(Loop* loop);
  LogWatcher(const LogWatcher&) = delete;
  LogWatcher& operator=(const LogWatcher&) = delete;
  ~LogWatcher();

  // Destroying it ends the watch. Belongs to the thread of its loop, which must outlive it.
  class Watch {
   public:
    ~Watch();
    // Set by each change. Reset it before looking.
    Event& changed() { return *changed_; }

   private:
    friend class LogWatcher;
    friend struct LogWatcherState;
    Watch(std::shared_ptr<struct LogWatcherState> state, int id, Loop* loop);
    std::shared_ptr<struct LogWatcherState> state_;
    const int id_;
    const std::shared_ptr<Event> changed_;
  };

  // Watches the directory or file that is open as FD. Called on the thread of LOOP, to which the
  // watch belongs. Null when the kernel allows no more watches: then look from time to time. [any
  // thread]
  std::unique_ptr<Watch> Add(Loop* loop, int fd);

  // The number of watched objects; for tests and metrics. [any thread]
  std::size_t watched() const;

 private:
  std::shared_ptr<struct LogWatcherState> state_;
};

}  // namespace drover
