// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "host/base/time.h"
#include "host/base/unique_fd.h"

namespace drover {

// drover.timer inside a container: functions do not travel. [any thread]
class ChildTimers {
 public:
  ChildTimers();

  std::uint64_t After(Duration delay, void (*function)(void*), void* context);
  bool Cancel(std::uint64_t id);

  // Becomes readable when Fire has something to do.
  int fd() const { return timer_.get(); }
  // Hands each timer that is due to RUN.
  void Fire(const std::function<void(std::function<void()>)>& run);

 private:
  struct Timer {
    void (*function)(void*);
    void* context;
  };
  void Arm();  // the mutex is held

  UniqueFd timer_;
  std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::map<std::pair<TimePoint, std::uint64_t>, Timer> timers_;
  std::map<std::uint64_t, TimePoint> times_;
};

}  // namespace drover
