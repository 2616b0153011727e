// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/context.h"

namespace drover {

// How long we wait for what stands still when this process does: a driver, a hook, an answer that
// we have to read. Its context ends like one WithTimeout, but a standstill of the whole process
// (stopped by a signal or a debugger, frozen, suspended with its machine) costs less than one of
// its parts: who could not run is not late. It is known by a timer that comes so late that no busy
// machine explains it. What is due by the clock, such as a kill, is no matter of patience.
class Patience {
 public:
  static constexpr int kParts = 4;

  Patience(const Context& parent, Duration limit);
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  // Ends the context.
  ~Patience();

  const Context& context() const { return context_; }

 private:
  void BeginPart();

  Context context_;
  const Duration part_;
  Duration left_;  // with the part that has begun
  Loop::TimerId timer_ = 0;
};

}  // namespace drover
