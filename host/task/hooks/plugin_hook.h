// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "host/driver/plugin_hooks.h"
#include "host/task/task_hook.h"

namespace drover {

struct PluginHookOptions {
  std::string plugin;           // the name of the plugin
  HookPlugin* hooks = nullptr;  // not owned; lives as long as the node
  std::string node_id;
  std::string node_name;
};

// Lets one plugin take part in a task. Only the tasks of a node whose operator has listed plugins
// in client.task_hooks have this hook, one per plugin. An error of Prestart ends the start. The
// errors of the other stages are only logged.
class PluginHook : public TaskHook {
 public:
  explicit PluginHook(PluginHookOptions options)
      : options_(std::move(options)), name_("plugin_" + options_.plugin) {}

  std::string_view name() const override { return name_; }
  // While nobody knows at which stages the plugin is called, it is called at all of them, so that
  // nothing is left out without a word.
  bool Has(HookStage stage) const override;
  Duration deadline(HookStage stage) const override;
  void Attach(std::weak_ptr<TaskControl> control) override { control_ = std::move(control); }

  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;
  Co<Status> Poststart(Context context, PoststartRequest request) override;
  Co<Status> Prekill(Context context, HookRequest request) override;
  Co<Status> Exited(Context context, HookRequest request) override;
  Co<Status> Stop(Context context, HookRequest request) override;

  TaskEvent FailureEvent(const Error& error) const override;

 private:
  std::shared_ptr<PluginHookRequest> NewRequest(PluginHookStage stage, const HookRequest& from,
                                                const TaskLocation& location) const;
  void Emit(const PluginHookAnswer& answer) const;
  // Carries out a stage other than prestart.
  Co<Status> After(Context context, PluginHookStage stage, HookRequest request);

  const PluginHookOptions options_;
  const std::string name_;
  std::weak_ptr<TaskControl> control_;
};

}  // namespace drover
