// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/disk_quota_hook.h"

#include <spdlog/spdlog.h>

#include <functional>
#include <string>

#include "host/alloc/alloc_state.h"

namespace drover {

Co<Status> DiskQuotaHook::Prerun(Context, AllocHookRequest request) {
  const TaskGroup* const group = request.alloc->group();
  if (group == nullptr) co_return Status();
  const AllocSnapshot now = control_->snapshot();
  const std::string id = request.alloc->id;
  std::function<Status()> hold =
      [quota = quota_, id, bytes = std::int64_t{group->ephemeral_disk_mb} << 20,
       started = now != nullptr && now->has_started()] { return quota->Hold(id, bytes, started); };
  const Status held = co_await pool_->Run(std::move(hold));
  if (!held.ok()) {
    spdlog::warn("allocation {}: its disk is watched instead of held by a quota: {}", id,
                 held.error().message());
  }
  co_return Status();
}

}  // namespace drover
