// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/context.h"

namespace drover {

// Limits how long the host waits for a driver, for a hook, or for an answer that this process must
// read. Like the context of WithTimeout, the context of this class ends after LIMIT. But while the
// whole process stands still, drivers and hooks cannot run and answers are not read. So a
// standstill of the process uses up less than one of the kParts parts of LIMIT.
//
// The process stands still while it is stopped by a signal or a debugger, frozen, or suspended with
// its machine. This class detects a standstill when its timer fires so late that a busy machine
// cannot be the reason. Do not use this class for deadlines by the clock, such as the kill timeout.
class Patience {
 public:
  static constexpr int kParts = 4;

  Patience(const Context& parent, Duration limit);
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  // Cancels the context.
  ~Patience();

  const Context& context() const { return context_; }

 private:
  void BeginPart();

  Context context_;
  const Duration part_;
  Duration left_;  // the rest of the limit, including the current part
  Loop::TimerId timer_ = 0;
};

}  // namespace drover
