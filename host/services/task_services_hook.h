// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/services/service_hook_options.h"
#include "host/task/task_hook.h"

namespace drover {

// Registers the services of a task while the task runs. A task that an earlier agent has started
// is registered again when its driver has found it. The task gets an event about each service that
// cannot be registered, and runs without it.
class TaskServicesHook : public TaskHook {
 public:
  // TASK has the services that an earlier agent may have registered.
  TaskServicesHook(const ServiceHookOptions* options, const Task& task)
      : options_(options), removable_(RegistersAny(options->node, task.services)) {}

  std::string_view name() const override { return "services"; }
  // While nothing is registered, a stop of the task costs nothing.
  bool Has(HookStage stage) const override {
    switch (stage) {
      case HookStage::kPoststart:
      case HookStage::kUpdate:
        return true;
      case HookStage::kExited:
        return running_ || removable_;
      case HookStage::kPrekill:
      case HookStage::kStop:
        return removable_;
      case HookStage::kPrestart:
      case HookStage::kShutdown:
        return false;
    }
    return false;
  }
  // How long the removal of registrations may hold up a stop of the task.
  Duration deadline(HookStage) const override { return 5s; }
  void Attach(std::weak_ptr<TaskControl> control) override { control_ = std::move(control); }
  Co<Status> Poststart(Context context, PoststartRequest request) override;
  Co<Status> Update(Context context, HookRequest request) override;
  Co<Status> Prekill(Context context, HookRequest request) override;
  Co<Status> Exited(Context context, HookRequest request) override;
  Co<Status> Stop(Context context, HookRequest request) override;

 private:
  void Register(const HookRequest& request);
  Co<Status> Deregister(Context context, HookRequest request);

  const ServiceHookOptions* const options_;
  std::weak_ptr<TaskControl> control_;
  bool running_ = false;  // false from the first step of a stop, if there are registrations
  // Of the run, while running_ is true.
  std::shared_ptr<const TaskConfig> config_;
  std::optional<DriverNetwork> network_;
  bool removable_;  // whether there may be registrations, also of an earlier agent
};

}  // namespace drover
