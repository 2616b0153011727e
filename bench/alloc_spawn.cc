// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/alloc_spawn.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "host/base/gate.h"

namespace drover::bench {

double AllocSpawn::Run(int tasks, int in_flight) {
  const auto start = std::chrono::steady_clock::now();
  DROVER_CHECK(node_->loop()->RunToEnd(RunAll(tasks, in_flight), std::chrono::minutes(10)));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Co<void> AllocSpawn::RunAll(int tasks, int in_flight) {
  left_ = tasks;
  std::vector<Co<void>> workers;
  for (int i = 0; i < in_flight; ++i) workers.push_back(RunSome());
  co_await InParallel(node_->loop(), std::move(workers));
}

Co<void> AllocSpawn::RunSome() {
  while (left_ > 0) {
    --left_;
    co_await RunOne();
  }
}

Co<void> AllocSpawn::RunOne() {
  LocalAlloc alloc(node_, job_);
  alloc.Start();
  const Status finished = co_await alloc.Finish();
  DROVER_CHECK(finished.ok());
  if (!alloc.record().Successful() || alloc.record().started_at == 0) {
    for (const TaskEvent& event : alloc.record().events)
      std::fprintf(stderr, "%s: %s\n", event.type.c_str(), event.display_message.c_str());
    std::abort();
  }
  const WallTime executed = alloc.record().started_at;
  const WallTime gate = alloc.EventTime(event_type::kTaskSetup);
  DROVER_CHECK(gate != 0);
  from_start_.push_back(static_cast<double>(executed - alloc.started()) / 1e9);
  from_gate_.push_back(static_cast<double>(executed - gate) / 1e9);
}

}  // namespace drover::bench
