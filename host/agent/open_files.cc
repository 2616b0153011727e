// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/open_files.h"

#include <sys/resource.h>

#include <cerrno>

namespace drover {

Result<OpenFileLimit> RaiseOpenFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return ErrnoError(errno, "the limit of open files");
  const OpenFileLimit raised{limit.rlim_cur, limit.rlim_max};
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return ErrnoError(errno, "cannot raise the limit of open files to its hard limit");
  }
  return raised;
}

}  // namespace drover
