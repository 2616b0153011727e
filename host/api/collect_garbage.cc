// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/collect_garbage.h"

#include "host/scheduler/scheduler.h"

namespace drover {
namespace {

// On the control thread.
Co<Result<bool>> Collect(const ApiAgent* agent, Context context, GarbageRule rule) {
  DROVER_CO_TRY(co_await agent->scheduler->CollectGarbage(context, rule));
  if (agent->make_durable) DROVER_CO_TRY(co_await agent->make_durable(context));
  co_return true;
}

}  // namespace

Co<Status> CollectGarbage(ApiRequest* request, GarbageRule rule) {
  std::function<Co<Result<bool>>(Context)> work = [agent = &request->agent(),
                                                   rule](const Context& context) {
    return Collect(agent, context, rule);
  };
  const Result<bool> done = co_await request->Control<bool>(std::move(work));
  if (!done.ok()) co_return done.error();
  co_return Status();
}

}  // namespace drover
