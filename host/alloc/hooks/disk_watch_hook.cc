// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/disk_watch_hook.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "host/alloc/disk_usage.h"
#include "host/task/task_event.h"

namespace drover {
namespace {

// A count takes at most this share of the time, so that many files cost little.
constexpr int kPauseFactor = 20;
constexpr Duration kLeastPause = 2s;
constexpr Duration kLongestPause = 60s;

std::string Megabytes(std::int64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

TaskEvent Warning(std::int64_t used, std::int64_t limit, bool held) {
  return TaskEvent(event_type::kDiskNearlyFull)
      .Message("The allocation uses " + Megabytes(used) + " of its ephemeral disk of " +
               Megabytes(limit) +
               (held ? ". Its tasks cannot write more than that"
                     : ". Its tasks are killed when it uses more than all"));
}

std::int64_t LogBytes(const TaskGroup& group) {
  std::int64_t bytes = 0;
  for (const Task& task : group.tasks) {
    // Of both streams.
    if (!task.log_config.disabled) {
      bytes += 2 * task.log_config.max_files * task.log_config.max_file_size_bytes;
    }
  }
  return bytes;
}

TaskEvent Over(const std::string& why) {
  return TaskEvent(event_type::kKilling).With(event_key::kKillReason, why).FailsTask();
}

}  // namespace

Co<Status> DiskWatchHook::Prerun(Context, AllocHookRequest request) {
  const TaskGroup* const group = request.alloc->group();
  if (group == nullptr || life_) co_return Status();
  life_.emplace(env_.loop);
  const Sizes sizes{std::int64_t{group->ephemeral_disk_mb} << 20, LogBytes(*group)};
  watching_.Spawn(Watch(this, *life_, request.alloc->id, sizes));
  co_return Status();
}

Co<Result<DiskWatchHook::Use>> DiskWatchHook::Count(std::string alloc_id, std::int64_t limit) {
  std::function<Result<Use>()> count = [base = base_, id = std::move(alloc_id), limit,
                                        give_up = give_up_, quota = quota_]() -> Result<Use> {
    if (const auto held = quota ? quota->Used(id) : std::nullopt) return Use{*held, true};
    DROVER_ASSIGN(const std::int64_t bytes, DiskUsage(base, id, limit, *give_up));
    return Use{bytes, false};
  };
  co_return co_await pool_->Run(std::move(count));
}

// SELF outlives this coroutine: Postrun and Shutdown wait for it.
Co<void> DiskWatchHook::Watch(DiskWatchHook* self, Context context, std::string alloc_id,
                              Sizes sizes) {
  const std::int64_t limit = sizes.disk;
  bool warned = false;
  while (!context.cancelled()) {
    const TimePoint begin = self->env_.loop->Now();
    const Result<Use> used = co_await self->Count(alloc_id, limit);
    if (context.cancelled()) co_return;
    if (used.code() == Code::kResourceExhausted) {
      self->env_.control->RequestTaskKill(Over(used.error().message()));
      co_return;
    }
    // Without its directory there is nothing to hold.
    const Use use = used.ok() ? *used : Use();
    if (use.bytes > limit + (use.held ? sizes.logs : 0)) {
      self->env_.control->RequestTaskKill(
          Over("The allocation uses more than its ephemeral disk of " + Megabytes(limit)));
      co_return;
    }
    const bool nearly = use.bytes > limit / 10 * 9;
    if (nearly && !warned) {
      spdlog::info("allocation {}: uses {} of its ephemeral disk of {}", alloc_id,
                   Megabytes(use.bytes), Megabytes(limit));
      self->env_.control->EmitToTasks(Warning(use.bytes, limit, use.held));
    }
    warned = nearly;
    const Duration took = self->env_.loop->Now() - begin;
    (void)co_await Sleep(context, std::clamp(took * kPauseFactor, kLeastPause, kLongestPause));
  }
}

Co<void> DiskWatchHook::End() {
  *give_up_ = true;
  if (life_) life_->Cancel("the allocation is not watched any more");
  co_await watching_.Join();
}

Co<Status> DiskWatchHook::Postrun(Context, AllocHookRequest) {
  co_await End();
  co_return Status();
}

Co<Status> DiskWatchHook::Shutdown(Context, AllocHookRequest) {
  co_await End();
  co_return Status();
}

}  // namespace drover
