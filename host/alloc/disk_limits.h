// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/alloc/disk_quota.h"
#include "host/base/worker_pool.h"

namespace drover {

struct LocalAllocEnv;

struct DiskLimitOptions {
  bool watch = false;         // whether allocations without a quota are watched
  bool quota = false;         // whether allocations get quotas, if their file system has them
  DiskQuotaOptions of_quota;  // the base is always needed
};

// What holds the allocations of a node to the sizes of their ephemeral disks. Must outlive the
// runners of the allocations.
class DiskLimits {
 public:
  // Where quotas are wanted, looks whether the file system of the allocations has them, and logs
  // the answer. Blocks for a moment.
  explicit DiskLimits(DiskLimitOptions options);

  // Null unless allocations get quotas.
  const std::shared_ptr<const DiskQuota>& quota() const { return quota_; }
  // Adds the hook that gives an allocation its quota. It comes before the hooks that bring files
  // into the directory. WORKERS must outlive the hooks.
  void AddQuotaHook(LocalAllocEnv* env, WorkerPool* workers) const;
  void AddWatchHook(LocalAllocEnv* env);

 private:
  const std::string base_;
  std::shared_ptr<const DiskQuota> quota_;
  std::optional<WorkerPool> counters_;  // absent if nothing holds the allocations
};

}  // namespace drover
