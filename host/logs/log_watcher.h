// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/event.h"
#include "host/base/loop.h"

namespace drover {

// Tells when something changes in directories or files, for all followers of one agent: the kernel
// gives a user few inotify instances, so there is one. It belongs to the thread of its loop;
// watches may be anybody's.
class LogWatcher {
 public:
  // How long changes are gathered: a task that writes without pause wakes nobody more often.
  static constexpr Duration kGather = 20ms;

  explicit LogWatcher(Loop* loop);
  LogWatcher(const LogWatcher&) = delete;
  LogWatcher& operator=(const LogWatcher&) = delete;
  ~LogWatcher();

  // Ends the watch when it is destroyed. Belongs to the thread of its loop, which outlives it.
  class Watch {
   public:
    ~Watch();
    // Set by each change; to be reset before looking.
    Event& changed() { return *changed_; }

   private:
    friend class LogWatcher;
    friend struct LogWatcherState;
    Watch(std::shared_ptr<struct LogWatcherState> state, int id, Loop* loop);
    std::shared_ptr<struct LogWatcherState> state_;
    const int id_;
    const std::shared_ptr<Event> changed_;
  };

  // Watches the directory or file that is open as FD, for somebody on the thread of LOOP, which is
  // the caller. Null when the kernel has no more of it: then look from time to time. [any thread]
  std::unique_ptr<Watch> Add(Loop* loop, int fd);

  // What is watched; for tests and metrics. [any thread]
  std::size_t watched() const;

 private:
  std::shared_ptr<struct LogWatcherState> state_;
};

}  // namespace drover
