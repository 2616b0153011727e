// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/alloc/alloc_hook.h"
#include "host/alloc/project_quota.h"
#include "host/base/result.h"
#include "host/base/worker_pool.h"

namespace drover {

// Lets an allocation wait until the one that it replaces has ended. Then moves the files of a
// sticky disk: the directory alloc/data, and the directory local of each task that both have. A
// failure to move is only reported, and the allocation begins with what it has. Does nothing for an
// allocation whose tasks an earlier agent has started: they use their files already.
class StickyDiskHook : public AllocHook {
 public:
  // Returns when the allocation ALLOC_ID has ended or is unknown. If no task of it has ever
  // started, its disk may still be with the one that it replaced, so this also waits for that one,
  // and so on. Returns the ids of all these, the newest first.
  using WaitEnded =
      std::function<Co<Result<std::vector<std::string>>>(Context context, std::string alloc_id)>;

  // BASE is the directory of all allocations. POOL must outlive this object. CONTROL is that of
  // AllocHookEnv; it may be null.
  StickyDiskHook(std::string base, WorkerPool* pool, WaitEnded wait_ended,
                 const AllocControl* control = nullptr)
      : base_(std::move(base)),
        pool_(pool),
        wait_ended_(std::move(wait_ended)),
        control_(control) {}

  std::string_view name() const override { return "migrate_disk"; }
  // The allocation before may take as long to end as its job allows.
  Duration deadline(AllocHookStage, const AllocHookRequest&) const override {
    return std::chrono::hours(24);
  }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;

 private:
  const std::string base_;
  WorkerPool* const pool_;
  const WaitEnded wait_ended_;
  const AllocControl* const control_;
};

// Moves the files of the allocation FROM to the allocation TO, whose directory exists. TASKS are
// the tasks of TO. Does nothing with what FROM does not have, and leaves what TO has already. So it
// may be called again after an agent died in it. If the directory of TO has another project than
// that of FROM, the files get it. Returns the first error. Blocks. [any thread]
Status MoveDisk(const std::string& base, const std::string& from, const std::string& to,
                const std::vector<std::string>& tasks,
                const ProjectQuotas& quotas = KernelProjectQuotas());

}  // namespace drover
