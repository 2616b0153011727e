// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/descriptor_reserve.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string>

namespace drover {
namespace {

rlim_t Limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace

bool DescriptorsLeft(int count) {
  constexpr rlim_t kMost = std::numeric_limits<int>::max();
  int left = 0;
  // The kernel always returns the lowest free number, so the highest numbers are used last. The
  // lowest free number alone does not show how many numbers are free, because closed descriptors
  // leave gaps between used numbers.
  const int end = static_cast<int>(std::min(Limit(), kMost));
  const int lowest = std::max(end - kDescriptorsLookedAt, 0);
  for (int fd = end - 1; fd >= lowest && left < count; --fd) {
    if (fcntl(fd, F_GETFD) < 0) ++left;
  }
  return left >= count;
}

Error FewDescriptorsLeft() {
  return Error(Code::kResourceExhausted,
               "too many open files: the agent may have " + std::to_string(Limit()) +
                   " (LimitNOFILE, ulimit -n), and keeps the last ones for running tasks",
               true);
}

}  // namespace drover
