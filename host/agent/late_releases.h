// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "host/agent/run_ledger.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/gate.h"

namespace drover {

// Runs that could not be released when their tasks were over: a process that hangs in a disk dies
// when that answers. They are tried again until it works, and stand in the ledger until then, so
// that the next agent looks after them, too. Control thread only.
class LateReleases {
 public:
  using Release = std::function<Co<Status>(Context, RunId)>;  // as ProcessService::Release
  LateReleases(Loop* loop, Release release, std::shared_ptr<RunLedger> ledger)
      : release_(std::move(release)), ledger_(std::move(ledger)), life_(loop), tries_(loop) {}

  void Add(RunId run);
  // Gives up; what is left is in the ledger.
  Co<void> Close();

 private:
  static Co<void> Try(LateReleases* self, RunId run);

  const Release release_;
  const std::shared_ptr<RunLedger> ledger_;
  Context life_;
  Gate tries_;
};

}  // namespace drover
