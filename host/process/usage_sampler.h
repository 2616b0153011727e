// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "host/base/ids.h"
#include "host/base/loop.h"
#include "host/process/process_spec.h"
#include "host/process/run_usage.h"
#include "host/process/usage_detail.h"

namespace drover {

// Samples the usage of runs. The cgroup files of a run stay open while it is sampled regularly. The
// sampler reads each process of the run if the caller asks for processes, or if the cgroup files do
// not count everything. Control thread only.
class UsageSampler {
 public:
  using Open = std::function<RunUsage(const RunId& run)>;
  // A function that reads the usage of each process of a run.
  using Walk = std::function<std::vector<ProcessUsage::Process>(const RunId& run)>;

  UsageSampler(Loop* loop, Open open, Walk walk)
      : loop_(loop), open_(std::move(open)), walk_(std::move(walk)) {}
  ~UsageSampler() { loop_->Cancel(timer_); }
  UsageSampler(const UsageSampler&) = delete;
  UsageSampler& operator=(const UsageSampler&) = delete;

  ProcessUsage Sample(const RunId& run, UsageDetail detail);
  // Closes the files of a run that has ended.
  void Forget(const RunId& run) { runs_.erase(run); }

 private:
  struct OpenRun {
    RunUsage files;
    TimePoint used;
  };
  const RunUsage& FilesOf(const RunId& run);
  void CloseIdle();

  Loop* const loop_;
  const Open open_;
  const Walk walk_;
  std::map<RunId, OpenRun> runs_;
  Loop::TimerId timer_ = 0;  // 0 if there is no timer
};

}  // namespace drover
