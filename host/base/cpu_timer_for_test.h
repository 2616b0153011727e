// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <algorithm>

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

// By how much more a cost may grow under a sanitizer than what a test allows: it looks at memory of
// its own for each access, so what is in no cache costs several times as much.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr double kSanitizerFactor = 2;
#else
inline constexpr double kSanitizerFactor = 1;
#endif

// The least of what several calls of GO return, which measures the same each time: what caches that
// others have filled add to one of them is not in it.
template <typename Go>
double LeastOf(Go go) {
  double least = go();
  for (int i = 1; i < 5; ++i) least = std::min(least, go());
  return least;
}

}  // namespace drover
