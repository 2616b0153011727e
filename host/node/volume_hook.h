// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/task/task_hook.h"
#include "host/task/task_seams.h"
#include "host/volume/host_volumes.h"

namespace drover {

// Mounts the volumes of a task. Only a task with mounts has this hook. The sources are looked at
// before each start, since their directories may have changed.
class VolumeHook : public TaskHook {
 public:
  // PREPARER must outlive this object. A call that was given up keeps VOLUMES.
  VolumeHook(std::shared_ptr<HostVolumes> volumes, TaskPreparer* preparer)
      : volumes_(std::move(volumes)), preparer_(preparer) {}

  std::string_view name() const override { return "volumes"; }
  bool Has(HookStage stage) const override { return stage == HookStage::kPrestart; }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;

 private:
  // Returns the destinations of the task's mounts, in their order, without references.
  Result<std::vector<std::string>> Destinations(const PrestartRequest& request) const;

  const std::shared_ptr<HostVolumes> volumes_;
  TaskPreparer* const preparer_;
};

// Returns an error if tasks of DRIVER cannot have volumes.
Status CheckMountsOf(const DriverInfo& driver);

}  // namespace drover
