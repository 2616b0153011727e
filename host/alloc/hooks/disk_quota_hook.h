// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "host/alloc/alloc_hook.h"
#include "host/alloc/disk_quota.h"
#include "host/base/worker_pool.h"

namespace drover {

// Gives the directory of an allocation a quota of its size before anything else comes into it. If
// that fails, the failure is only reported, and the allocation is watched instead.
class DiskQuotaHook : public AllocHook {
 public:
  // POOL must outlive this object. CONTROL is that of AllocHookEnv.
  DiskQuotaHook(std::shared_ptr<const DiskQuota> quota, WorkerPool* pool,
                const AllocControl* control)
      : quota_(std::move(quota)), pool_(pool), control_(control) {}

  std::string_view name() const override { return "disk_quota"; }
  // As long as that of the directory: a hook that takes longer fails the allocation.
  Duration deadline(AllocHookStage, const AllocHookRequest&) const override { return 10min; }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;

 private:
  const std::shared_ptr<const DiskQuota> quota_;
  WorkerPool* const pool_;
  const AllocControl* const control_;
};

}  // namespace drover
