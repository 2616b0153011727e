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

// drover.timer: the timers of one driver, kept by the control thread's loop and called on the
// plugin's pool. Held by shared_ptr.
class TimerTable : public std::enable_shared_from_this<TimerTable> {
 public:
  TimerTable(Loop* loop, std::shared_ptr<LoopPort> port, PluginPool* pool, Duration hold)
      : loop_(loop), port_(std::move(port)), pool_(pool), hold_(hold) {}

  // [any thread]
  std::uint64_t After(Duration delay, void (*function)(void*), void* context);
  // Whether the function will not run, also since the timer was dropped: once. [any thread]
  bool Cancel(std::uint64_t id);

  // Drops the timers that were set until now; their functions are not called, but those that run
  // already. Control thread.
  void DropAll();
  // The same, and sets none any more. Control thread.
  void Close();
  std::size_t size() const;

 private:
  struct Timer {
    void (*function)(void*);
    void* context;
    Loop::TimerId in_loop = 0;  // control thread
  };
  void Fire(std::uint64_t id);

  Loop* const loop_;
  const std::shared_ptr<LoopPort> port_;
  PluginPool* const pool_;
  const Duration hold_;
  mutable std::mutex mutex_;
  bool closed_ = false;
  std::map<std::uint64_t, Timer> timers_;
  // Their drivers learn by a cancel that what they keep for them can go.
  std::set<std::uint64_t> dropped_;
};

}  // namespace drover
