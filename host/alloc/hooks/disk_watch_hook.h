// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/alloc/alloc_hook.h"
#include "host/base/gate.h"
#include "host/base/worker_pool.h"

namespace drover {

// Holds an allocation to the size of its ephemeral disk. Counts what its directory takes from time
// to time, since there is no quota. Each task gets an event when nine tenths are used. When more
// than all is used, the tasks are killed and the allocation fails.
class DiskWatchHook : public AllocHook {
 public:
  // BASE is the directory of all allocations. POOL must outlive this object.
  DiskWatchHook(AllocHookEnv env, std::string base, WorkerPool* pool)
      : env_(std::move(env)), base_(std::move(base)), pool_(pool), watching_(env_.loop) {}

  std::string_view name() const override { return "disk_watch"; }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;
  Co<Status> Shutdown(Context context, AllocHookRequest request) override;

 private:
  static Co<void> Watch(DiskWatchHook* self, Context context, std::string alloc_id,
                        std::int64_t limit);
  Co<Result<std::int64_t>> Count(std::string alloc_id, std::int64_t limit);
  Co<void> End();

  const AllocHookEnv env_;
  const std::string base_;
  WorkerPool* const pool_;
  const std::shared_ptr<std::atomic<bool>> give_up_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<Context> life_;
  Gate watching_;
};

}  // namespace drover
