// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/agent/kept_state.h"
#include "host/agent/late_releases.h"
#include "host/agent/leftovers.h"
#include "host/agent/run_ledger.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/unique_fd.h"

namespace drover {

// Pointers are not owned and must outlive the calls.
struct KeptLeftoversOptions {
  Loop* loop = nullptr;
  ProcessService* processes = nullptr;
  KeptState* kept = nullptr;
  RunLedger* ledger = nullptr;  // of this agent
  LateReleases* late = nullptr;
  Leftovers* leftovers = nullptr;
  UniqueFd run_directory;
  std::string alloc_dir;
  bool keep_unknown = false;  // AgentConfig::Client::keep_unknown_tasks
};

// Clears away what earlier agents with the same state left and this one does not continue: runs
// that no record names, and allocations whose record is gone or collected. With KEEP_UNKNOWN, runs
// that no record names are kept. Control thread only.
class KeptLeftovers {
 public:
  explicit KeptLeftovers(KeptLeftoversOptions options) : options_(std::move(options)) {}

  // Finds the runs that will be kept. Call it before the first runner is made, which must know
  // them, and before EndRuns.
  void Find();
  // The runs that Find has found. They may end at any time.
  const std::vector<RunId>& unknown_runs() const { return unknown_runs_; }

  // Ends the runs, except those that are kept: from now on the ledger of this agent names them.
  Co<void> EndRuns(Context context);
  // Removes the directories and records of the allocations, as far as EndRuns has ended their runs.
  Co<void> RemoveDirectories();

 private:
  // An allocation whose runs have ended: only the directory, if any, and the records are left.
  struct Ended {
    LedgerLeftovers left;
    const KeptState::Remains* remains = nullptr;
  };
  bool Lives(const RunId& run) const { return ShimLives(options_.run_directory.get(), run); }
  std::vector<LedgerLeftovers> UnknownLedgers() const;
  Co<void> TakeOverLedgers(Context context);
  Co<void> ReleaseOrLater(Context context, RunId run);
  Co<void> EndAlloc(Context context, std::string id, const KeptState::Remains* remains);
  bool KeepUnknown(const std::string& alloc_id, LedgerLeftovers* left, bool* keeps);

  const KeptLeftoversOptions options_;
  std::vector<RunId> unknown_runs_;
  std::vector<Ended> ended_;
};

}  // namespace drover
