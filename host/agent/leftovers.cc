// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/leftovers.h"

#include <unistd.h>

#include <cerrno>

#include "host/alloc/disk_alloc_dir.h"
#include "host/base/gate.h"

namespace drover {
namespace {

// All of its runs are ended side by side.
constexpr Duration kPatience = 20s;

Co<void> ReleaseRun(Context context, ProcessService* processes, RunId run, Status* first) {
  const Status released = co_await processes->Release(context, run);
  if (!released.ok() && first->ok()) *first = released.error().WithContext("run " + run.ToString());
}

}  // namespace

Co<Status> ClearLeftoversOf(Context context, Loop* loop, ProcessService* processes,
                            WorkerPool* pool, const LedgerLeftovers* leftovers) {
  Status first;
  const Context limited = context.WithTimeout(kPatience);
  std::vector<Co<void>> releases;
  for (const RunId& run : leftovers->runs) {
    releases.push_back(ReleaseRun(limited, processes, run, &first));
  }
  co_await InParallel(loop, std::move(releases));
  if (!first.ok()) co_return first;  // files of what may still run stay
  DiskAllocDirOptions options;
  options.base = leftovers->alloc_base;
  options.pool = pool;
  for (const std::string& alloc : leftovers->allocs) {
    DiskAllocDir directory(options, alloc);
    const Status removed = co_await directory.Destroy();
    if (!removed.ok() && first.ok()) first = removed;
  }
  // Only when it is empty; what somebody else has put there is not ours to remove.
  if (leftovers->base_is_own) rmdir(leftovers->alloc_base.c_str());
  co_return first;
}

}  // namespace drover
