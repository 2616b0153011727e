// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "host/device/device_manager.h"
#include "host/task/task_hook.h"

namespace drover {

// Gives a task the devices that its allocation has: asks their plugins what the task needs to use
// them, before each start. Only a task with devices has this hook. For a task that an earlier agent
// has started, the stored answer holds, so that its plugin need not be there.
class DeviceHook : public TaskHook {
 public:
  // A call that was given up keeps DEVICES.
  explicit DeviceHook(std::shared_ptr<DeviceManager> devices) : devices_(std::move(devices)) {}

  std::string_view name() const override { return "devices"; }
  bool Has(HookStage stage) const override { return stage == HookStage::kPrestart; }
  // A plugin may need time for each group of devices.
  Duration deadline(HookStage) const override { return std::chrono::minutes(5); }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;

 private:
  const std::shared_ptr<DeviceManager> devices_;
};

}  // namespace drover
