// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/time.h"

// Waits for a hook of a task or of an allocation, for a limited time.
namespace drover {

// How long a hook may take to return after its context has ended.
inline constexpr Duration kHookGrace = 1s;

void CountAbandonedHookCall();
// For tests. Returns how many hook calls in this process were abandoned because they did not return
// in time.
long AbandonedHookCalls();

// One call of a hook. Interruptible shares this object with the coroutine that runs the call,
// because the call may continue after Interruptible has stopped waiting.
template <typename T, typename Hook>
struct HookCall {
  HookCall(Loop* loop, std::shared_ptr<Hook> of) : hook(std::move(of)), returned(loop) {}
  std::shared_ptr<Hook> hook;
  Event returned;
  std::optional<Result<T>> result;
};

template <typename T, typename Hook>
Co<void> DriveHookCall(std::shared_ptr<HookCall<T, Hook>> call, Co<Result<T>> body) {
  call->result.emplace(co_await std::move(body));
  call->returned.Set();
}

// Runs BODY, a stage of HOOK, with CONTEXT, and waits until BODY returns. The wait ends at the
// latest kHookGrace after CONTEXT has ended. If BODY has not returned by then, BODY continues, but
// its answer is dropped. DEADLINE is the time limit of CONTEXT, and is only used in the error text.
template <typename T, typename Hook>
Co<Result<T>> Interruptible(Context context, std::shared_ptr<Hook> hook, Duration deadline,
                            Co<Result<T>> body) {
  Loop* const loop = context.loop();
  const auto call = std::make_shared<HookCall<T, Hook>>(loop, std::move(hook));
  loop->Spawn(DriveHookCall(call, std::move(body)));
  Status waited = co_await call->returned.Wait(context);
  if (!call->returned.is_set()) {
    const Context grace = Context(loop).WithTimeout(kHookGrace);
    waited = co_await call->returned.Wait(grace);
  }
  const bool late = context.status().code() == Code::kTimeout;
  const Error timeout(Code::kTimeout, "it took longer than " + FormatDuration(deadline), true);
  if (!call->returned.is_set()) {
    CountAbandonedHookCall();
    if (late) co_return timeout;
    co_return context.status().error();
  }
  if (!call->result->ok() && call->result->code() == Code::kTimeout && late) co_return timeout;
  co_return std::move(*call->result);
}

}  // namespace drover
