// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The calls of task hooks, for plugins that have some.
#include "host/conformance/kit_task.h"
#include "host/driver/plugin_hooks.h"
#include "sdk/testhost/tested_driver.h"

namespace drover {
namespace {

// The names of the stages, in the order of kPluginHookStages.
constexpr const char* kStageNames[] = {"prestart", "poststart", "prekill", "exited", "stop"};

Result<PluginHookStage> StageNamed(const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < std::size(kStageNames); ++i) {
    if (name == kStageNames[i]) return kPluginHookStages[i];
    known += (known.empty() ? "" : ", ") + std::string(kStageNames[i]);
  }
  return Error(Code::kInvalidArgument, "/stage: \"" + name + "\" is none of " + known);
}

nlohmann::json AnswerJson(const PluginHookAnswer& answer, const StringMap& data) {
  nlohmann::json mounts = nlohmann::json::array();
  for (const TaskMount& mount : answer.mounts) {
    mounts.push_back({{"task_path", mount.task_path},
                      {"host_path", mount.host_path},
                      {"read_only", mount.read_only},
                      {"propagation", mount.propagation}});
  }
  nlohmann::json devices = nlohmann::json::array();
  for (const TaskDevice& device : answer.devices) {
    devices.push_back({{"task_path", device.task_path},
                       {"host_path", device.host_path},
                       {"permissions", device.permissions}});
  }
  return {{"env", answer.env},
          {"mounts", mounts},
          {"devices", devices},
          {"data", data},
          {"event", answer.event}};
}

}  // namespace

// Calls the hook of the plugin at one stage, for a task that need not have been started. The data
// of the plugin come back with the next call for the same task.
Co<Result<TestedDriver::Json>> TestedDriver::Hook(Context context, Request* request) {
  const std::string stage_name = request->Text("stage");
  const std::string name = request->Text("task");
  auto call = std::make_shared<PluginHookRequest>();
  call->meta = request->Pairs("meta");
  call->driver = request->Text("driver", "exec");
  call->user = request->Text("user", "");
  call->job_namespace = request->Text("namespace", "default");
  const std::int64_t exit_code = request->Number("exit_code", 0);
  DROVER_CO_TRY(request->status());
  DROVER_CO_ASSIGN(call->stage, StageNamed(stage_name));
  if (name.empty() || name.find('/') != std::string::npos || name[0] == '.') {
    co_return Error(Code::kInvalidArgument, "/task: must be a name without \"/\"");
  }
  auto [found, is_new] = hooked_.try_emplace(name);
  Hooked& task = found->second;
  if (is_new) task.config = MakeKitTask(options_.directory, name);
  if (call->stage == PluginHookStage::kPoststart) task.config.run_id = RunId::Random();
  call->alloc_id = task.config.alloc_id;
  call->task_name = name;
  call->alloc_name = task.config.alloc_name;
  call->job_id = task.config.job_id;
  call->group_name = task.config.group_name;
  call->node_id = task.config.node_id;
  call->node_name = task.config.node_name;
  call->alloc_dir = task.config.alloc_dir;
  call->task_dir = task.config.task_dir;
  call->local_dir = task.config.local_dir;
  call->secrets_dir = task.config.secrets_dir;
  call->log_dir = task.config.log_dir;
  call->data = task.data;
  const bool has_run =
      call->stage != PluginHookStage::kPrestart && call->stage != PluginHookStage::kStop;
  if (has_run) call->run = task.config.run_id;
  if (call->stage == PluginHookStage::kExited) {
    call->exited = ExitResult{static_cast<int>(exit_code), 0, false, ""};
  }
  HookPlugin* const hooks = registries_.back()->FindHooks(driver_->info().name);
  const Result<PluginHookAnswer> answer = co_await hooks->CallHook(context, call);
  if (!answer.ok()) co_return answer.error();
  // The call may have ended after another one has changed the map, so it is looked at again.
  StringMap& data = hooked_[name].data;
  if (answer->data) data = *answer->data;
  co_return AnswerJson(*answer, data);
}

}  // namespace drover
