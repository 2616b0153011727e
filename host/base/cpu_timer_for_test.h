// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

namespace drover {

// How much processor time this thread takes from now on: what else the machine does is not in it.
class CpuTimer {
 public:
  double Seconds() const { return Now() - start_; }

 private:
  static double Now() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }

  double start_ = Now();
};

}  // namespace drover
