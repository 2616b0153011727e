// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "host/base/loop.h"
#include "host/base/loop_port.h"
#include "host/plugin/plugin_pool.h"

namespace drover {

// The timers of one driver, for the extension drover.timer. The control thread's loop waits until a
// timer is due. The timer's function runs on the plugin's pool. Held by shared_ptr.
class TimerTable : public std::enable_shared_from_this<TimerTable> {
 public:
  TimerTable(Loop* loop, std::shared_ptr<LoopPort> port, PluginPool* pool, Duration hold)
      : loop_(loop), port_(std::move(port)), pool_(pool), hold_(hold) {}

  // Sets a timer and returns its id. After Close it sets no timer but still returns an id. [any
  // thread]
  std::uint64_t After(Duration delay, void (*function)(void*), void* context);
  // Cancels the timer. Returns true if the timer's function will not run: because of this call, or
  // because DropAll has dropped the timer. A second Cancel of a timer returns false. [any thread]
  bool Cancel(std::uint64_t id);

  // Drops all timers that are set now, so their functions are not called. A function that already
  // runs continues. Control thread.
  void DropAll();
  // Drops all timers like DropAll. Later calls of After set no timer. Control thread.
  void Close();
  std::size_t size() const;

 private:
  struct Timer {
    void (*function)(void*);
    void* context;
    Loop::TimerId in_loop = 0;  // id of the timer in the loop; control thread only
  };
  void Fire(std::uint64_t id);

  Loop* const loop_;
  const std::shared_ptr<LoopPort> port_;
  PluginPool* const pool_;
  const Duration hold_;
  mutable std::mutex mutex_;
  bool closed_ = false;
  std::map<std::uint64_t, Timer> timers_;
  // The timers that were dropped. Cancel returns true for each, so the driver can free its data for
  // the timer.
  std::set<std::uint64_t> dropped_;
};

}  // namespace drover
