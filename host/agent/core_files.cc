// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/core_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

namespace drover {
namespace {

// A limit of 0 forbids files alone: the kernel would still give the memory to a program that the
// machine has for core dumps (core(5)). With a limit of 1 it does neither.
constexpr rlim_t kNoCore = 1;

}  // namespace

Result<std::uint64_t> ForbidCoreFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_CORE, &limit) != 0) return ErrnoError(errno, "the limit of core files");
  const std::uint64_t before = limit.rlim_cur;
  limit.rlim_cur = std::min(kNoCore, limit.rlim_max);
  if (setrlimit(RLIMIT_CORE, &limit) != 0) {
    return ErrnoError(errno,
                      "a crash may leave a core file with secrets, as its limit cannot be set");
  }
  return before;
}

}  // namespace drover
