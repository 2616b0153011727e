// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/collect_garbage.h"

#include "host/plugin/plugin_registry.h"
#include "host/scheduler/scheduler.h"

namespace drover {
namespace {

// [control]
Co<Status> Collect(const ApiAgent* agent, Context context, GarbageRule rule) {
  DROVER_CO_TRY(co_await agent->scheduler->CollectGarbage(context, rule));
  if (rule.jobs) {
    DROVER_CO_TRY(co_await agent->scheduler->CollectDeployments(context, rule.ended_before));
    if (agent->plugins != nullptr) agent->plugins->CollectPrepared();
  }
  if (agent->make_durable) DROVER_CO_TRY(co_await agent->make_durable(context));
  co_return Status();
}

}  // namespace

Co<Status> CollectGarbage(ApiRequest* request, GarbageRule rule) {
  return request->Control([agent = &request->agent(), rule](const Context& context) {
    return Collect(agent, context, rule);
  });
}

}  // namespace drover
