// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/alloc/alloc_hook.h"
#include "host/alloc/disk_quota.h"
#include "host/base/gate.h"
#include "host/base/worker_pool.h"

namespace drover {

// Holds an allocation to the size of its ephemeral disk. Looks from time to time what its directory
// takes: a quota says it, and without one all files are counted. Each task gets an event when nine
// tenths are used. When more than all is used, the tasks are killed and the allocation fails. Where
// a quota holds the tasks, only those come that far whom the kernel lets pass, and those who write
// the logs. So the logs may come on top.
class DiskWatchHook : public AllocHook {
 public:
  // BASE is the directory of all allocations. POOL must outlive this object. Without a QUOTA, no
  // allocation has one.
  DiskWatchHook(AllocHookEnv env, std::string base, WorkerPool* pool,
                std::shared_ptr<const DiskQuota> quota = nullptr)
      : env_(std::move(env)),
        base_(std::move(base)),
        pool_(pool),
        quota_(std::move(quota)),
        watching_(env_.loop) {}

  std::string_view name() const override { return "disk_watch"; }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;
  Co<Status> Shutdown(Context context, AllocHookRequest request) override;

 private:
  struct Sizes {
    std::int64_t disk = 0;
    std::int64_t logs = 0;  // the most that the logs may take
  };
  struct Use {
    std::int64_t bytes = 0;
    bool held = false;  // by a quota
  };

  static Co<void> Watch(DiskWatchHook* self, Context context, std::string alloc_id, Sizes sizes);
  Co<Result<Use>> Count(std::string alloc_id, std::int64_t limit);
  Co<void> End();

  const AllocHookEnv env_;
  const std::string base_;
  WorkerPool* const pool_;
  const std::shared_ptr<const DiskQuota> quota_;
  const std::shared_ptr<std::atomic<bool>> give_up_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<Context> life_;
  Gate watching_;
};

}  // namespace drover
