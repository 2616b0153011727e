// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/garbage_loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace drover {

Co<void> CollectGarbageForever(Context context, const AgentConfig* config, Scheduler* scheduler,
                               const StateStore* store, std::function<Co<double>()> disk_used) {
  const AgentConfig::Client::Gc* const rules = &config->client.gc;  // a reload changes *rules
  Duration pause = rules->interval;
  for (;;) {
    const Status slept = co_await Sleep(context, pause);
    if (!slept.ok()) co_return;
    GarbageRule rule;
    rule.ended_before = context.loop()->Wall() - config->server.job_gc_threshold.count();
    rule.keep = static_cast<std::size_t>(rules->max_allocs);
    pause = rules->interval;
    const double used = co_await disk_used();
    if (used > rules->disk_usage_threshold) {
      std::size_t ended = 0;
      store->Read([&](const Tables& tables) { ended = CountEnded(tables); });
      spdlog::info("the disk of the allocations is {:.0f} % full: {} of {} ended ones are removed",
                   used, ended - ended / 2, ended);
      rule.keep = std::min(rule.keep, ended / 2);
      pause = rules->interval / 10;
    }
    (void)co_await scheduler->CollectGarbage(context, rule);
    const Duration age = config->server.deployment_gc_threshold;
    (void)co_await scheduler->CollectDeployments(context, context.loop()->Wall() - age.count());
  }
}

}  // namespace drover
