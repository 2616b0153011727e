// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/disk_limits.h"

#include <spdlog/spdlog.h>

#include "host/alloc/hooks/disk_quota_hook.h"
#include "host/alloc/hooks/disk_watch_hook.h"
#include "host/alloc/local_alloc_runner.h"

namespace drover {
namespace {

constexpr int kDiskCounters = 1;  // threads that look what allocations take

}  // namespace

DiskLimits::DiskLimits(const AgentConfig::Client& client, const ProjectQuotas* quotas)
    : base_(client.alloc_dir) {
  using Limit = AgentConfig::Client::DiskLimit;
  if (client.disk_limit == Limit::kOff) return;
  counters_.emplace(kDiskCounters);
  if (client.disk_limit != Limit::kQuota) return;
  auto quota = std::make_shared<const DiskQuota>(
      DiskQuotaOptions{base_, static_cast<std::uint32_t>(client.min_disk_project),
                       static_cast<std::uint32_t>(client.max_disk_project), quotas});
  if (const Status usable = quota->Check(); !usable.ok()) {
    spdlog::warn(
        "client/ephemeral_disk_limit: {} has no quotas for allocations, so their disks are watched "
        "instead: {}",
        base_, usable.error().message());
    return;
  }
  spdlog::info("allocations in {} have quotas, with the projects {} to {}", base_,
               client.min_disk_project, client.max_disk_project);
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
