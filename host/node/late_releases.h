// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/node/run_ledger.h"
#include "host/process/process_service.h"

namespace drover {

// Repeats the release of runs whose first release failed. For example, a process that hangs on a
// disk dies only when the disk answers. Until a run is released, it stays in the ledger, so that
// the next agent can release it. Control thread only.
class LateReleases {
 public:
  // PROCESSES is not owned.
  LateReleases(Loop* loop, ProcessService* processes, std::shared_ptr<RunLedger> ledger)
      : processes_(processes), ledger_(std::move(ledger)), life_(loop), tries_(loop) {}

  void Add(RunId run);
  // Stops repeating the releases. Runs that are not released by then stay in the ledger.
  Co<void> Close();

 private:
  static Co<void> Try(LateReleases* self, RunId run);

  ProcessService* const processes_;
  const std::shared_ptr<RunLedger> ledger_;
  Context life_;
  Gate tries_;
};

}  // namespace drover
