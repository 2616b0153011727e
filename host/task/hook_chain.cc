// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hook_chain.h"

#include <algorithm>

#include "host/base/patience.h"
#include "host/task/interruptible.h"

namespace drover {
namespace {

Error InStage(const Error& error, HookStage stage, const TaskHook& hook) {
  return error.WithContext(std::string(HookStageName(stage)) + " hook \"" +
                           std::string(hook.name()) + "\" failed");
}

}  // namespace

void HookChain::Attach(const std::weak_ptr<TaskControl>& control) {
  for (const auto& hook : hooks_) hook->Attach(control);
}

Co<HookChain::PrestartResult> HookChain::Prestart(Context kill, Context shutdown,
                                                  PrestartRequest request,
                                                  std::map<std::string, HookState>* hooks,
                                                  std::function<Co<Status>()> save) {
  Prepared prepared;
  for (const auto& hook : hooks_) {
    if (!hook->Has(HookStage::kPrestart)) continue;
    const std::string name(hook->name());
    HookState& kept = (*hooks)[name];
    if (!kept.prestart_done) {
      const Duration deadline = hook->deadline(HookStage::kPrestart);
      request.data = kept.data;
      request.env = prepared.env;
      const JoinContext joined(kill, shutdown);
      const Patience patience(joined.context(), deadline);
      const Context context = patience.context();
      auto body = hook->Prestart(context, request);
      Result<PrestartResponse> answer =
          co_await Interruptible(context, hook, deadline, std::move(body));
      if (!answer.ok()) {
        co_return Failed{InStage(answer.error(), HookStage::kPrestart, *hook),
                         hook->FailureEvent(answer.error())};
      }
      PrestartResponse& response = *answer;
      // Mounts, devices and their variables are stored for the run that gets them, and not for the
      // hook. So a hook that returned any must be called again before the next start.
      const bool done = response.done && response.mounts.empty() && response.devices.empty() &&
                        response.device_env.empty();
      // Only a hook that is done is not asked again. So only its variables are stored: those of
      // other hooks may be secrets.
      for (const auto& [key, value] : response.env) prepared.env[key] = value;
      for (const auto& [key, value] : response.device_env) {
        prepared.env[key] = prepared.device_env[key] = value;
      }
      HookState now{done, std::move(response.data), done ? std::move(response.env) : StringMap(),
                    std::move(response.user)};
      std::move(response.mounts.begin(), response.mounts.end(),
                std::back_inserter(prepared.mounts));
      std::move(response.devices.begin(), response.devices.end(),
                std::back_inserter(prepared.devices));
      if (!(now == kept)) {
        kept = std::move(now);
        const Status saved = co_await save();
        if (!saved.ok()) {
          const Error error =
              saved.error().WithContext("its state could not be stored").AsRecoverable();
          co_return Failed{InStage(error, HookStage::kPrestart, *hook), hook->FailureEvent(error)};
        }
      }
    }
    for (const auto& [key, value] : kept.env) prepared.env[key] = value;
    if (!kept.user.empty()) request.user = prepared.user = kept.user;
  }
  co_return prepared;
}

StringMap HookChain::StoredEnv(const std::map<std::string, HookState>& hooks) const {
  StringMap env;
  for (const auto& hook : hooks_) {
    const auto kept = hooks.find(std::string(hook->name()));
    if (kept == hooks.end() || !kept->second.prestart_done) continue;
    for (const auto& [key, value] : kept->second.env) env[key] = value;
  }
  return env;
}

std::string HookChain::StoredUser(const std::map<std::string, HookState>& hooks) {
  const auto chose = [](const auto& hook) { return !hook.second.user.empty(); };
  const auto found = std::find_if(hooks.begin(), hooks.end(), chose);
  return found == hooks.end() ? std::string() : found->second.user;
}

Co<Status> HookChain::Call(TaskHook* hook, HookStage stage, Context context,
                           PoststartRequest request) {
  switch (stage) {
    case HookStage::kPoststart:
      return hook->Poststart(context, std::move(request));
    case HookStage::kPrekill:
      return hook->Prekill(context, std::move(request));
    case HookStage::kExited:
      return hook->Exited(context, std::move(request));
    case HookStage::kUpdate:
      return hook->Update(context, std::move(request));
    case HookStage::kShutdown:
      return hook->Shutdown(context, std::move(request));
    default:
      return hook->Stop(context, std::move(request));
  }
}

bool HookChain::Has(HookStage stage) const {
  return std::any_of(hooks_.begin(), hooks_.end(),
                     [stage](const auto& hook) { return hook->Has(stage); });
}

Co<void> HookChain::Run(HookStage stage, Context context, PoststartRequest request,
                        const std::map<std::string, HookState>* hooks) {
  for (const auto& hook : hooks_) {
    if (!hook->Has(stage)) continue;
    const auto kept = hooks->find(std::string(hook->name()));
    request.data = kept == hooks->end() ? StringMap() : kept->second.data;
    const Duration deadline = hook->deadline(stage);
    const Patience patience(context, deadline);
    const Context limited = patience.context();
    auto body = Call(hook.get(), stage, limited, request);
    const Status status = co_await Interruptible(limited, hook, deadline, std::move(body));
    if (!status.ok() && report_) report_(InStage(status.error(), stage, *hook));
  }
}

}  // namespace drover
