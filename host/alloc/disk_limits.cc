// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_limits.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "host/alloc/hooks/disk_quota_hook.h"
#include "host/alloc/hooks/disk_watch_hook.h"
#include "host/alloc/local_alloc_runner.h"

namespace drover {
namespace {

constexpr int kDiskCounters = 1;  // threads that look what allocations take

}  // namespace

DiskLimits::DiskLimits(DiskLimitOptions options) : base_(options.of_quota.base) {
  if (options.watch || options.quota) counters_.emplace(kDiskCounters);
  if (!options.quota) return;
  const std::uint32_t first = options.of_quota.first, last = options.of_quota.last;
  auto quota = std::make_shared<const DiskQuota>(std::move(options.of_quota));
  if (const Status usable = quota->Check(); !usable.ok()) {
    spdlog::warn(
        "client/ephemeral_disk_limit: {} has no quotas for allocations, so their disks are watched "
        "instead: {}",
        base_, usable.error().message());
    return;
  }
  spdlog::info("allocations in {} have quotas, with the projects {} to {}", base_, first, last);
  quota_ = std::move(quota);
}

void DiskLimits::AddQuotaHook(LocalAllocEnv* env, WorkerPool* workers) const {
  if (quota_ == nullptr) return;
  env->extra_hooks.push_back(
      [quota = quota_, workers](const AllocHookEnv& hook_env) -> std::unique_ptr<AllocHook> {
        return std::make_unique<DiskQuotaHook>(quota, workers, hook_env.control);
      });
}

void DiskLimits::AddWatchHook(LocalAllocEnv* env) {
  if (!counters_) return;
  env->extra_hooks.push_back([this](const AllocHookEnv& hook_env) -> std::unique_ptr<AllocHook> {
    return std::make_unique<DiskWatchHook>(hook_env, base_, &*counters_, quota_);
  });
}

}  // namespace drover
