// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/scratch.h"
#include "host/base/loop.h"
#include "host/process/process_service.h"

namespace drover::bench {

// The limits of a task of the driver exec on all sides of the comparison.
inline constexpr std::int64_t kMemoryBytes = 64 << 20;
inline constexpr std::int64_t kCpuShares = 512;
inline constexpr std::int64_t kMaxProcesses = 4096;

// Starts one program after the other by the process service, with the isolation of the driver exec.
class IsolatedStart {
 public:
  // PROGRAM is a static program in DIRECTORY, which is /bench in its root.
  IsolatedStart(RealLoop* loop, ProcessService* processes, const Scratch& scratch,
                const std::string& directory, std::string program);

  // Returns the seconds until the program was executed. Then waits for its end and removes all of
  // it, which does not count.
  double Start();
  // Whether a run of the program with a limit of MEMORY bytes succeeds.
  bool EndsWell(std::int64_t memory);

 private:
  struct Ended {
    double seconds = 0;
    bool well = false;
  };
  Co<void> Run(std::int64_t memory, Ended* result);
  ProcessSpec Spec(std::int64_t memory) const;

  RealLoop* const loop_;
  ProcessService* const processes_;
  const std::string own_;
  const std::string directory_;
  const std::string program_;
};

}  // namespace drover::bench
