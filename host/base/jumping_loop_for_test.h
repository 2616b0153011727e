// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/loop.h"

namespace drover {

// The loop of a test in which the wall clock of the machine is set.
class JumpingLoop : public SimLoop {
 public:
  WallTime Wall() const override { return SimLoop::Wall() + jumped_.count(); }
  void Jump(Duration by) { jumped_ += by; }

 private:
  Duration jumped_{0};
};

}  // namespace drover
