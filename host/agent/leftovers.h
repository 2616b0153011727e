// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "host/agent/late_releases.h"
#include "host/agent/run_ledger.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/worker_pool.h"
#include "host/process/process_service.h"

namespace drover {

// Kills what still runs of a node that has died and removes its exit records, cgroups and
// directories. The wait for processes is bounded. An error names something that is still there,
// while the rest is gone; trying again is fine. The pointers outlive the call.
Co<Status> ClearLeftoversOf(Context context, Loop* loop, ProcessService* processes,
                            WorkerPool* pool, const LedgerLeftovers* leftovers);

// The same for every dead node that has a ledger in RUN_DIR and whose runs do not go on without it;
// failures are logged, and the ledger
// stays. PATIENCE: how long shims that still live may take to stop their tasks in order.
Co<void> ClearDeadNodes(Context context, Loop* loop, ProcessService* processes, WorkerPool* pool,
                        std::string run_dir, Duration patience);

// What the ledgers of the dead nodes of ALLOC_BASE name beside KNOWN, which this node knows of: it
// is reported, and killed, by LATE if that does not work at once, or, with KEEP and while it runs,
// written into OWN. Their directories stay.
Co<void> TakeOverLedgers(Context context, Loop* loop, ProcessService* processes,
                         std::string run_dir, std::string alloc_base, const std::set<RunId>* known,
                         bool keep, RunLedger* own, LateReleases* late);

// Those of them that still run, before they are taken over.
std::vector<RunId> FindUnknownRuns(const std::string& run_dir, const std::string& alloc_base,
                                   const std::set<RunId>& known);

// Those of RUNS that still run: a shim that is lost has no task any more.
std::vector<RunId> RunsThatLive(const std::string& run_dir, const std::vector<RunId>& runs);

}  // namespace drover
