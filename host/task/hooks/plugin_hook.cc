// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/plugin_hook.h"

#include <optional>

namespace drover {
namespace {

// How much longer the runner waits than the plugin may take: for a plugin that is being loaded
// before a start, and for a process that is launched again.
constexpr Duration kLoading = 60s;
constexpr Duration kLaunching = 10s;

std::optional<PluginHookStage> StageOf(HookStage stage) {
  switch (stage) {
    case HookStage::kPrestart:
      return PluginHookStage::kPrestart;
    case HookStage::kPoststart:
      return PluginHookStage::kPoststart;
    case HookStage::kPrekill:
      return PluginHookStage::kPrekill;
    case HookStage::kExited:
      return PluginHookStage::kExited;
    case HookStage::kStop:
      return PluginHookStage::kStop;
    case HookStage::kUpdate:
    case HookStage::kShutdown:
      break;
  }
  return std::nullopt;
}

// The driver's own root is that of the machine, so nothing can be mounted for one task.
Status CheckPlaces(const PluginHookAnswer& answer, const DriverInfo& driver) {
  if (driver.fs_isolation != FsIsolation::kNone) return {};
  if (answer.mounts.empty() && answer.devices.empty()) return {};
  const std::string& place =
      answer.mounts.empty() ? answer.devices[0].task_path : answer.mounts[0].task_path;
  return Error(Code::kInvalidArgument,
               "it has something for " + place + ", but driver \"" + driver.name +
                   "\" cannot mount: use a driver such as exec, or configure the plugin otherwise");
}

}  // namespace

bool PluginHook::Has(HookStage stage) const {
  const std::optional<PluginHookStage> of = StageOf(stage);
  if (!of) return false;
  const std::optional<std::uint32_t> known = options_.hooks->HookStages();
  if (!known) return true;
  // A plugin without any hooks is a mistake of the operator, which Prestart reports.
  if (*known == 0) return stage == HookStage::kPrestart;
  return (*known & HookStageBit(*of)) != 0;
}

Duration PluginHook::deadline(HookStage stage) const {
  const std::optional<PluginHookStage> of = StageOf(stage);
  if (!of) return TaskHook::deadline(stage);
  return options_.hooks->HookLimit(*of) + (stage == HookStage::kPrestart ? kLoading : kLaunching);
}

std::shared_ptr<PluginHookRequest> PluginHook::NewRequest(PluginHookStage stage,
                                                          const HookRequest& from,
                                                          const TaskLocation& location) const {
  auto request = std::make_shared<PluginHookRequest>();
  const Allocation& alloc = *from.alloc;
  request->stage = stage;
  request->alloc_id = alloc.id;
  request->task_name = from.task->name;
  request->alloc_name = alloc.name;
  request->job_id = alloc.job->id;
  request->job_namespace = alloc.job->job_namespace;
  request->group_name = alloc.group_name;
  request->node_id = options_.node_id;
  request->node_name = options_.node_name;
  request->driver = from.task->driver;
  request->alloc_dir = location.alloc_dir;
  request->task_dir = location.task_dir;
  request->local_dir = location.local_dir;
  request->secrets_dir = location.secrets_dir;
  request->log_dir = location.log_dir;
  const TaskGroup* const group = alloc.group();
  request->meta = MetaOf(*alloc.job, group == nullptr ? TaskGroup() : *group, *from.task);
  request->data = from.data;
  request->run = from.run;
  request->exited = from.exited;
  return request;
}

void PluginHook::Emit(const PluginHookAnswer& answer) const {
  if (answer.event.empty()) return;
  if (const auto control = control_.lock()) {
    control->EmitEvent(
        TaskEvent(event_type::kTaskHook).Message(options_.plugin + ": " + answer.event));
  }
}

Co<Result<PrestartResponse>> PluginHook::Prestart(Context context, PrestartRequest request) {
  PrestartResponse response;
  response.data = request.data;
  // The run got its environment and mounts from the earlier agent.
  if (request.running) co_return response;
  const auto call = NewRequest(PluginHookStage::kPrestart, request, request.location);
  call->user = request.user;
  DROVER_CO_ASSIGN(PluginHookAnswer answer, co_await options_.hooks->CallHook(context, call));
  DROVER_CO_TRY(CheckPlaces(answer, request.driver));
  Emit(answer);
  response.env = std::move(answer.env);
  response.mounts = std::move(answer.mounts);
  response.devices = std::move(answer.devices);
  if (answer.data) response.data = std::move(*answer.data);
  co_return response;
}

Co<Status> PluginHook::After(Context context, PluginHookStage stage, HookRequest request) {
  TaskLocation location;
  if (const auto control = control_.lock()) location = control->Location();
  const auto call = NewRequest(stage, request, location);
  DROVER_CO_ASSIGN(PluginHookAnswer answer, co_await options_.hooks->CallHook(context, call));
  Emit(answer);
  if (!answer.data || *answer.data == request.data) co_return Status();
  const auto control = control_.lock();
  if (!control) co_return Status();
  co_return co_await control->SaveHookData(name_, std::move(*answer.data));
}

Co<Status> PluginHook::Poststart(Context context, PoststartRequest request) {
  return After(std::move(context), PluginHookStage::kPoststart, std::move(request));
}

Co<Status> PluginHook::Prekill(Context context, HookRequest request) {
  return After(std::move(context), PluginHookStage::kPrekill, std::move(request));
}

Co<Status> PluginHook::Exited(Context context, HookRequest request) {
  return After(std::move(context), PluginHookStage::kExited, std::move(request));
}

Co<Status> PluginHook::Stop(Context context, HookRequest request) {
  return After(std::move(context), PluginHookStage::kStop, std::move(request));
}

TaskEvent PluginHook::FailureEvent(const Error& error) const {
  return TaskEvent(event_type::kHookFailed)
      .Message("plugin " + options_.plugin + ": " + error.message());
}

}  // namespace drover
