// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/base/time.h"

namespace drover {

// Whether the runner of a task has yet to hear that the driver, recovered without its knowledge,
// has given the task a new handle. It hears of it as if the driver were gone, and asks for it by a
// recover, which is then answered with what is known. A runner gives a plugin up that needs that
// again soon, so it is told no sooner.
class HandleNews {
 public:
  void Note() { unheard_ = true; }
  // True once, when the runner is to be told.
  bool Tell(TimePoint now) {
    if (!unheard_ || (told_ && now - *told_ < kSoon)) return false;
    told_ = now;
    asked_for_ = true;
    return true;
  }
  // Whether the runner has been told and has not asked yet.
  bool asked_for() const { return asked_for_; }
  // The runner knows the handle.
  void Heard() { unheard_ = asked_for_ = false; }

 private:
  static constexpr Duration kSoon = std::chrono::seconds(31);

  bool unheard_ = false;
  bool asked_for_ = false;
  std::optional<TimePoint> told_;
};

}  // namespace drover
