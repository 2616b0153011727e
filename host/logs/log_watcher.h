// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/event.h"
#include "host/base/loop.h"

namespace drover {

// Tells when something changes in directories, for all followers of one agent: the kernel gives a
// user few inotify instances, so there is one. Control thread only; outlives its watches.
class LogWatcher {
 public:
  // How long changes are gathered: a task that writes without pause wakes nobody more often.
  static constexpr Duration kGather = 20ms;

  explicit LogWatcher(Loop* loop);
  LogWatcher(const LogWatcher&) = delete;
  LogWatcher& operator=(const LogWatcher&) = delete;
  ~LogWatcher();

  // Ends the watch when it is destroyed.
  class Watch {
   public:
    ~Watch();
    // Set by each change in the directory; to be reset before looking.
    Event& changed() { return changed_; }

   private:
    friend class LogWatcher;
    Watch(std::shared_ptr<struct LogWatcherState> state, int id, Loop* loop);
    std::shared_ptr<struct LogWatcherState> state_;
    int id_;
    Event changed_;
  };

  // Watches the directory that is open as DIRECTORY. Null when the kernel has no more of it: then
  // look from time to time.
  std::unique_ptr<Watch> Add(int directory);

  // Directories that are watched; for tests and metrics.
  std::size_t directories() const;

 private:
  std::shared_ptr<struct LogWatcherState> state_;
};

}  // namespace drover
