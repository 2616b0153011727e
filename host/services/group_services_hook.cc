// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/group_services_hook.h"

#include <utility>
#include <vector>

#include "host/base/patience.h"

namespace drover {

Co<Status> GroupServicesHook::Prerun(Context context, AllocHookRequest) {
  DROVER_CO_TRY(context.status());  // a stop has begun, and has removed the registrations
  // An update may have come while the hooks before this one had their turn.
  alloc_ = env_.control->snapshot()->alloc;
  co_return Register();
}

Co<Status> GroupServicesHook::Update(Context, AllocHookRequest request) {
  alloc_ = std::move(request.alloc);
  // In a restart or a stop, the registrations have just been removed. After a restart, the newest
  // version is registered.
  co_return registered_ ? Register() : Status();
}

Co<Status> GroupServicesHook::PreTaskRestart(Context context, AllocHookRequest request) {
  const Status removed = co_await Deregister(context, request);
  const std::optional<TimePoint> since = DelayBegan();
  co_await delay_.Wait(context, request, since);
  // The tasks are being stopped instead.
  DROVER_CO_TRY(context.status());
  if (!removed.ok() && options_->report) options_->report(request.alloc->id, removed.error());
  if (!alloc_) alloc_ = request.alloc;
  co_return Register();
}

Co<Status> GroupServicesHook::Prekill(Context context, AllocHookRequest request) {
  // A restart may have removed the registrations already, and have waited for a part of the delay.
  const Status removed = co_await Deregister(context, request);
  const std::optional<TimePoint> since = DelayBegan();
  co_await delay_.Wait(context, std::move(request), since);
  co_return removed;
}

Co<Status> GroupServicesHook::Postrun(Context context, AllocHookRequest request) {
  co_return co_await Deregister(context, std::move(request));
}

Status GroupServicesHook::Register() {
  Registrations made = RegistrationsOfGroup(options_->node, *alloc_);
  registered_ = true;
  had_services_ = had_services_ || !made.all.empty();
  removed_at_.reset();
  if (options_->for_consul) options_->for_consul(std::move(made.for_consul));
  options_->registrar->Set(alloc_->id, "", std::move(made.all));
  std::vector<Error> fatal;
  for (const Error& error : made.errors) {
    if (error.code() == Code::kFailedPrecondition) {
      fatal.push_back(error);
    } else if (options_->report) {
      options_->report(alloc_->id, error.WithContext("the service is not registered"));
    }
  }
  return JoinErrors(std::move(fatal));
}

Co<Status> GroupServicesHook::Deregister(Context context, AllocHookRequest request) {
  if (removed_at_) co_return Status();
  registered_ = false;
  const TaskGroup* const group = request.alloc->group();
  const bool has_services = group != nullptr && RegistersAny(options_->node, group->services);
  if (!had_services_ && !has_services) co_return Status();
  const Patience patience(context, kRemovalLimit);
  const Status removed =
      co_await options_->registrar->Clear(patience.context(), request.alloc->id, "");
  // In the meantime, a restart that has just ended may have registered them again.
  if (removed.ok() && !registered_) removed_at_ = env_.loop->Now();
  // The end of the agent is no failure.
  if (removed.ok() || removed.code() == Code::kCancelled) co_return Status();
  co_return removed.error().WithContext("the registrations of its services are not removed yet");
}

}  // namespace drover
