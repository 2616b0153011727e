// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>

#include "host/base/ids.h"
#include "host/base/time.h"

namespace drover {

// When the runners of a plugin's tasks last heard of a handle. A runner gives a plugin up that
// needs a recover again soon, whichever of the drivers that stand behind each other tells it: so
// these share one. Control thread.
class ToldHandles {
 public:
  // How long the runner of RUN is not to be told yet at NOW.
  Duration Left(const RunId& run, TimePoint now) const {
    const auto found = told_.find(run);
    if (found == told_.end()) return Duration(0);
    return std::max(Duration(0), found->second + soon_ - now);
  }
  // The runner of RUN is told at NOW, or has heard by asking.
  void Note(const RunId& run, TimePoint now) {
    if (told_.size() >= sweep_at_) {
      std::erase_if(told_, [this, now](const auto& entry) { return now - entry.second >= soon_; });
      sweep_at_ = std::max(kLeast, 2 * told_.size());
    }
    told_[run] = now;
  }
  // For tests, which do not wait for so long.
  void SetSoon(Duration soon) { soon_ = soon; }

 private:
  static constexpr std::size_t kLeast = 64;
  Duration soon_ = std::chrono::seconds(31);
  std::map<RunId, TimePoint> told_;
  std::size_t sweep_at_ = kLeast;
};

// Whether the runner of a task has yet to hear that the driver, recovered without its knowledge,
// has given the task a new handle. It hears of it as if the driver were gone, and asks for it by a
// recover, which is then answered with what is known.
class HandleNews {
 public:
  void Note() { unheard_ = true; }
  // Zero: the runner of RUN is to be told, which counts as done. More: not yet, but after so long.
  // None: there is nothing to tell.
  std::optional<Duration> Tell(const RunId& run, TimePoint now, ToldHandles* told) {
    if (!unheard_) return std::nullopt;
    const Duration left = told->Left(run, now);
    if (left > Duration(0)) return left;
    told->Note(run, now);
    asked_for_ = true;
    return left;
  }
  // Whether the runner has been told and has not asked yet.
  bool asked_for() const { return asked_for_; }
  // The runner of RUN knows the handle, by an answer to its recover.
  void Heard(const RunId& run, TimePoint now, ToldHandles* told) {
    told->Note(run, now);
    unheard_ = asked_for_ = false;
  }

 private:
  bool unheard_ = false;
  bool asked_for_ = false;
};

}  // namespace drover
