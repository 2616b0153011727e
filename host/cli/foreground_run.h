// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/alloc/alloc_runner.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/worker_pool.h"
#include "host/node/node.h"
#include "host/view/log_printer.h"
#include "host/view/run_view.h"

namespace drover {

struct ForegroundOptions {
  bool logs = true;
  bool stats = true;
  bool keep = false;  // if true, the allocation directories are not removed
  Duration stats_interval = 1s;
};

// Runs the allocations of a job and shows their changes. Control thread only.
class ForegroundRun {
 public:
  // The pointers must outlive this object.
  ForegroundRun(Loop* loop, Node* node, RunView* view, ForegroundOptions options);
  ~ForegroundRun();

  // Runs all allocations until they end, and removes the files and processes that are left. Returns
  // the exit code of the command. If the cleanup fails, the view shows the error and the exit code
  // is that of a failure.
  Co<int> Run(std::vector<std::shared_ptr<const Allocation>> allocations);
  // The first call begins an orderly stop of every allocation, with kill signals and timeouts.
  // Each later call kills all processes. After such a kill, a poststop task may run only for its
  // kill timeout.
  void Interrupt();

 private:
  class Watched;

  Co<void> FollowUsage(Context context);
  Co<void> FinishOne(Watched* watched);

  Loop* const loop_;
  Node* const node_;
  RunView* const view_;
  const ForegroundOptions options_;
  // This pool is not shared, so that a disk that hangs during a read of logs does not delay the
  // start of a task.
  WorkerPool log_readers_{2};
  LogWatcher log_watcher_;
  std::vector<std::unique_ptr<Watched>> watched_;
  int interrupts_ = 0;
  bool cleanup_failed_ = false;
};

}  // namespace drover
