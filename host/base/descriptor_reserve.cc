// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/descriptor_reserve.h"

#include <sys/resource.h>

#include <string>

namespace drover {
namespace {

rlim_t Limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace

bool LeavesDescriptors(int fd, int kept) {
  return static_cast<rlim_t>(fd) + static_cast<rlim_t>(kept) < Limit();
}

Error FewDescriptorsLeft() {
  return Error(Code::kResourceExhausted,
               "too many open files: the agent may have " + std::to_string(Limit()) +
                   " (LimitNOFILE, ulimit -n), and keeps the last for what runs already",
               true);
}

}  // namespace drover
