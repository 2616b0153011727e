// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/task_services_hook.h"

#include <utility>

#include "host/alloc/alloc_hook.h"

namespace drover {

Co<Status> TaskServicesHook::Poststart(Context context, PoststartRequest request) {
  if (context.cancelled()) co_return Status();  // the task is being stopped, or has ended
  config_ = request.config;
  network_ = request.network;
  running_ = true;
  Register(request);
  co_return Status();
}

Co<Status> TaskServicesHook::Update(Context, HookRequest request) {
  // Before a start, there is nothing to do. During a stop, the services stay removed.
  if (running_ && request.network) network_ = request.network;
  if (running_) Register(request);
  co_return Status();
}

Co<Status> TaskServicesHook::Prekill(Context context, HookRequest request) {
  co_return co_await Deregister(context, std::move(request));
}

Co<Status> TaskServicesHook::Exited(Context context, HookRequest request) {
  co_return co_await Deregister(context, std::move(request));
}

Co<Status> TaskServicesHook::Stop(Context context, HookRequest request) {
  co_return co_await Deregister(context, std::move(request));
}

void TaskServicesHook::Register(const HookRequest& request) {
  // A task that never had services is not worth a message to anybody.
  if (!removable_ && !RegistersAny(options_->node, request.task->services)) return;
  ServiceRun run;
  run.config = config_.get();
  run.network = network_ ? &*network_ : nullptr;
  Registrations made = RegistrationsOfTask(options_->node, *request.alloc, *request.task, run);
  removable_ = true;
  if (options_->for_consul) options_->for_consul(std::move(made.for_consul));
  options_->registrar->Set(request.alloc->id, request.task->name, std::move(made.all));
  const auto control = control_.lock();
  if (!control || made.errors.empty()) return;
  // One event for all, since a task keeps only its last events.
  const Status failed = JoinErrors(std::move(made.errors));
  control->EmitEvent(TaskEvent(event_type::kHookFailed)
                         .Message(std::string(name()) + ": " + failed.error().message()));
}

Co<Status> TaskServicesHook::Deregister(Context context, HookRequest request) {
  running_ = false;
  config_ = nullptr;
  network_.reset();
  if (!removable_) co_return Status();
  removable_ = false;
  const Status removed =
      co_await options_->registrar->Clear(context, request.alloc->id, request.task->name);
  // The end of the agent is no failure.
  if (removed.ok() || removed.code() == Code::kCancelled) co_return Status();
  co_return removed.error().WithContext("the registrations of its services are not removed yet");
}

}  // namespace drover
