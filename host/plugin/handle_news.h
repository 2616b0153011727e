// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>

#include "host/base/ids.h"
#include "host/base/time.h"

namespace drover {

// When the runners of a plugin's tasks were last told of a new handle. A runner gives a plugin up
// that needs a recover again soon, whichever of the drivers that stand behind each other tells it:
// so these share one. Control thread.
class ToldHandles {
 public:
  // Whether the runner of RUN may be told at NOW, which then counts.
  bool Tell(const RunId& run, TimePoint now) {
    if (told_.size() >= sweep_at_) {
      std::erase_if(told_, [now](const auto& entry) { return now - entry.second >= kSoon; });
      sweep_at_ = std::max(kLeast, 2 * told_.size());
    }
    const auto [entry, is_new] = told_.emplace(run, now);
    if (!is_new && now - entry->second < kSoon) return false;
    entry->second = now;
    return true;
  }

 private:
  static constexpr Duration kSoon = std::chrono::seconds(31);
  static constexpr std::size_t kLeast = 64;
  std::map<RunId, TimePoint> told_;
  std::size_t sweep_at_ = kLeast;
};

// Whether the runner of a task has yet to hear that the driver, recovered without its knowledge,
// has given the task a new handle. It hears of it as if the driver were gone, and asks for it by a
// recover, which is then answered with what is known.
class HandleNews {
 public:
  void Note() { unheard_ = true; }
  // True once, when the runner of RUN is to be told.
  bool Tell(const RunId& run, TimePoint now, ToldHandles* told) {
    if (!unheard_ || !told->Tell(run, now)) return false;
    asked_for_ = true;
    return true;
  }
  // Whether the runner has been told and has not asked yet.
  bool asked_for() const { return asked_for_; }
  // The runner knows the handle.
  void Heard() { unheard_ = asked_for_ = false; }

 private:
  bool unheard_ = false;
  bool asked_for_ = false;
};

}  // namespace drover
