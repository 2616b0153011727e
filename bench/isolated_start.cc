// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/isolated_start.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>

#include "host/process/task_root.h"

namespace drover::bench {

IsolatedStart::IsolatedStart(RealLoop* loop, ProcessService* processes, const Scratch& scratch,
                             const std::string& directory, std::string program)
    : loop_(loop),
      processes_(processes),
      own_(scratch.NewDirectory("isolated")),
      directory_(directory),
      program_(std::move(program)) {
  for (const char* path :
       {"/alloc", "/alloc/logs", "/task", "/task/local", "/task/secrets", "/task/tmp"})
    DROVER_CHECK(mkdir((own_ + path).c_str(), 0777) == 0);
}

ProcessSpec IsolatedStart::Spec(std::int64_t memory) const {
  TaskRootOptions options;
  options.alloc_dir = own_ + "/alloc";
  options.log_dir = own_ + "/alloc/logs";
  options.task_dir = own_ + "/task";
  options.host_paths = DefaultRootPaths();
  options.host_paths.emplace_back(directory_, "/bench");
  Result<RootSpec> root = OpenTaskRoot(options);
  DROVER_CHECK(root.ok());
  ProcessSpec spec;
  spec.run = RunId::Random();
  spec.argv = {program_};
  spec.namespaces.emplace();
  spec.namespaces->root = std::move(*root);
  spec.privileges.emplace();
  spec.user = ProcessUser{65534, 65534, {}};
  spec.umask = 022;
  spec.limits = {{RLIMIT_NOFILE, 1024, 4096}, {RLIMIT_CORE, 0, 0}};
  spec.resources = {memory, 0, kCpuShares, kMaxProcesses};
  spec.logs.directory = UniqueFd(open(options.log_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  spec.logs.task = "t";
  spec.bound = BoundSpec();
  return spec;
}

double IsolatedStart::Start() {
  Ended ended;
  DROVER_CHECK(loop_->RunToEnd(Run(kMemoryBytes, &ended), std::chrono::minutes(1)));
  DROVER_CHECK(ended.well);
  return ended.seconds;
}

bool IsolatedStart::EndsWell(std::int64_t memory) {
  Ended ended;
  DROVER_CHECK(loop_->RunToEnd(Run(memory, &ended), std::chrono::minutes(1)));
  return ended.well;
}

Co<void> IsolatedStart::Run(std::int64_t memory, Ended* result) {
  const Context context(loop_);
  const auto start = std::chrono::steady_clock::now();
  ProcessSpec spec = Spec(memory);
  const RunId run = spec.run;
  const Result<ProcessInfo> started = co_await processes_->Start(context, std::move(spec));
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!started.ok()) co_return;
  const Result<ProcessExit> ended = co_await processes_->Wait(context, run);
  result->well = ended.ok() && ended->exit_code == 0 && ended->error.empty();
  const Status released = co_await processes_->Release(context, run);
  DROVER_CHECK(released.ok());
}

}  // namespace drover::bench
