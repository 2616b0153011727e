// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The calls of a plugin's task hooks.
#include <utility>

#include "host/abi/hook_values.h"
#include "host/plugin/loaded_driver.h"

namespace drover {
namespace {

// A plugin in the agent's process cannot be ended. If this many of its calls are past their
// deadlines and have not ended, further hooks fail at once, so that they fill no memory.
constexpr std::size_t kMostOverdue = 64;

Result<CallValue> DecodeHook(const void* result) {
  Result<PluginHookAnswer> answer = ReadHookAnswer(static_cast<const drover_hook_result*>(result));
  if (!answer.ok()) return answer.error();
  return CallValue(std::move(*answer));
}

// The name of a call in errors and traces.
const char* HookVerb(PluginHookStage stage) {
  switch (stage) {
    case PluginHookStage::kPrestart:
      return "hook prestart";
    case PluginHookStage::kPoststart:
      return "hook poststart";
    case PluginHookStage::kPrekill:
      return "hook pre-kill";
    case PluginHookStage::kExited:
      return "hook exited";
    case PluginHookStage::kStop:
      break;
  }
  return "hook stop";
}

}  // namespace

Co<Result<PluginHookAnswer>> LoadedDriver::CallHook(
    Context context, std::shared_ptr<const PluginHookRequest> request) {
  DROVER_CO_TRY(Usable());
  if (hooks_ == nullptr) {
    co_return Error(Code::kUnimplemented, "it has no task hooks: remove it from client.task_hooks");
  }
  const PluginHookStage stage = request->stage;
  if ((driver_info_.hook_stages & HookStageBit(stage)) == 0) co_return PluginHookAnswer();
  if (overdue_.size() >= kMostOverdue) {
    co_return Unavailable(std::to_string(overdue_.size()) +
                          " of its calls are late and have not ended");
  }
  const auto call = NewCall(HookVerb(stage), RunId(), DecodeHook);
  Verb verb = [hooks = hooks_, self = instance_, request](const drover_call* frame,
                                                          drover_error* error) {
    const HookArgsView args(request);
    return hooks->hook(self, frame, args.get(), error);
  };
  Result<CallValue> value = co_await Call(context, call, limits().*HookLimitOf(stage),
                                          /*control=*/false, std::move(verb));
  if (!value.ok()) co_return value.error();
  auto answer = std::get<PluginHookAnswer>(std::move(*value));
  if (const Status fits = CheckHookAnswer(answer, stage); !fits.ok()) {
    co_return fits.error().WithContext(std::string("its answer to ") + HookVerb(stage));
  }
  co_return answer;
}

}  // namespace drover
