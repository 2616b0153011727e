// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/agent/node.h"
#include "host/alloc/alloc_runner.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/worker_pool.h"
#include "host/view/log_printer.h"
#include "host/view/run_view.h"

namespace drover {

struct ForegroundOptions {
  bool logs = true;
  bool stats = true;
  bool keep = false;  // leaves the directories behind
  Duration stats_interval = 1s;
};

// Runs the allocations of a job and shows them meanwhile. Control thread only.
class ForegroundRun {
 public:
  // The pointers outlive this.
  ForegroundRun(Loop* loop, Node* node, RunView* view, ForegroundOptions options);
  ~ForegroundRun();

  // Runs all of them to their end and removes their traces. Returns the exit code of the command.
  // The view shows an error of the cleanup, and the run has failed then.
  Co<int> Run(std::vector<std::shared_ptr<const Allocation>> allocations);
  // The first call stops every allocation in order. Later calls kill everything that runs, and
  // poststop tasks get no longer than their kill timeout.
  void Interrupt();

 private:
  class Watched;

  Co<void> FollowUsage(Context context);
  Co<void> FinishOne(Watched* watched);

  Loop* const loop_;
  Node* const node_;
  RunView* const view_;
  const ForegroundOptions options_;
  WorkerPool log_readers_{2};  // of its own: a disk that hangs delays no start
  LogWatcher log_watcher_;
  std::vector<std::unique_ptr<Watched>> watched_;
  int interrupts_ = 0;
  bool cleanup_failed_ = false;
};

}  // namespace drover
