// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/process/run_cgroups.h"
#include "host/process/supervised_run.h"

namespace drover {

// Takes over the runs that an earlier agent started: finds the shim of a run, or what the shim has
// left. Control thread only.
class EarlierRuns {
 public:
  // CGROUPS and RUNS are borrowed. RUNS are the runs that the process service knows.
  EarlierRuns(std::shared_ptr<RunHost> host, RunCgroups* cgroups, RunTable* runs)
      : host_(std::move(host)), cgroups_(cgroups), runs_(runs) {}

  // Adds RUN to the known runs and returns it, alive or ended. Returns a known run when it has
  // started. The errors are those of ProcessService::Attach.
  Co<Result<RunPointer>> TakeOver(Context context, RunId run);

 private:
  bool IsTracked(const RunId& run) const;
  bool HasOnlyNamed(const RunId& run) const;
  void RemoveCgroups(const RunId& run);
  Co<Result<RunPointer>> Greet(Context context, RunId run, UniqueFd socket);
  Co<Status> KillOrphans(Context context, RunId run);
  RunPointer Remember(const RunId& run, ProcessExit exit);

  const std::shared_ptr<RunHost> host_;
  RunCgroups* const cgroups_;
  RunTable* const runs_;
};

}  // namespace drover
