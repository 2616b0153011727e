// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "host/alloc/alloc_dir.h"
#include "host/alloc/alloc_hook.h"

namespace drover {

// Makes the allocation directory before the tasks start, and removes it with the allocation. So the
// files of a stopped allocation stay readable until the allocation is collected. Removes the
// secrets when the last task has ended, since each mount that stays slows the starts of isolated
// tasks.
class AllocDirHook : public AllocHook {
 public:
  explicit AllocDirHook(std::shared_ptr<AllocDir> dir) : dir_(std::move(dir)) {}

  std::string_view name() const override { return "alloc_dir"; }
  // The deadline allows for a slow disk, and for a task that has filled the directory with files.
  Duration deadline(AllocHookStage, const AllocHookRequest&) const override { return 10min; }
  Co<Status> Prerun(Context context, AllocHookRequest request) override;
  Co<Status> Postrun(Context context, AllocHookRequest request) override;
  Co<Status> Destroy(Context context, AllocHookRequest request) override;

 private:
  const std::shared_ptr<AllocDir> dir_;
};

}  // namespace drover
