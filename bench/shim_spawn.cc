// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/shim_spawn.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>

#include "host/base/gate.h"

namespace drover::bench {

ShimSpawn::ShimSpawn(RealLoop* loop, ProcessService* processes, const Scratch& scratch,
                     std::string program)
    : loop_(loop), processes_(processes), program_(std::move(program)) {
  const std::string directory = scratch.path() + "/shim-logs";
  DROVER_CHECK(mkdir(directory.c_str(), 0755) == 0);
  logs_ = UniqueFd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DROVER_CHECK(logs_.get() >= 0);
}

double ShimSpawn::Run(int tasks, int in_flight) {
  const auto start = std::chrono::steady_clock::now();
  DROVER_CHECK(loop_->RunToEnd(RunAll(tasks, in_flight), std::chrono::minutes(10)));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Co<void> ShimSpawn::RunAll(int tasks, int in_flight) {
  left_ = tasks;
  std::vector<Co<void>> workers;
  for (int i = 0; i < in_flight; ++i) workers.push_back(RunSome());
  co_await InParallel(loop_, std::move(workers));
}

Co<void> ShimSpawn::RunSome() {
  while (left_ > 0) {
    --left_;
    co_await RunOne();
  }
}

Co<void> ShimSpawn::RunOne() {
  Context context(loop_);
  ProcessSpec spec;
  spec.run = RunId::Random();
  spec.argv = {program_};
  spec.logs.directory = UniqueFd(fcntl(logs_.get(), F_DUPFD_CLOEXEC, 0));
  spec.logs.task = "noop";
  spec.bound = BoundSpec();
  const RunId run = spec.run;
  const auto start = std::chrono::steady_clock::now();
  const Result<ProcessInfo> started = co_await processes_->Start(context, std::move(spec));
  DROVER_CHECK(started.ok());
  latencies_.push_back(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  const Result<ProcessExit> ended = co_await processes_->Wait(context, run);
  DROVER_CHECK(ended.ok() && ended->exit_code == 0 && ended->error.empty());
  const Status released = co_await processes_->Release(context, run);
  DROVER_CHECK(released.ok());
}

}  // namespace drover::bench
