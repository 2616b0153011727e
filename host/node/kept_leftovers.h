// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/unique_fd.h"
#include "host/node/kept_state.h"
#include "host/node/late_releases.h"
#include "host/node/leftovers.h"
#include "host/node/run_ledger.h"

namespace drover {

// The pointers are not owned. Their objects must outlive all calls.
struct KeptLeftoversOptions {
  Loop* loop = nullptr;
  ProcessService* processes = nullptr;
  KeptState* kept = nullptr;
  RunLedger* ledger = nullptr;  // the ledger of this agent
  LateReleases* late = nullptr;
  Leftovers* leftovers = nullptr;
  UniqueFd run_directory;
  std::string alloc_dir;
  bool keep_unknown = false;  // see AgentConfig::Client::keep_unknown_tasks
};

// Clears away the leftovers of earlier agents with the same state. The leftovers are runs that no
// record names, and allocations whose record is missing or was garbage-collected. With
// KEEP_UNKNOWN, runs that no record names continue. Control thread only.
class KeptLeftovers {
 public:
  explicit KeptLeftovers(KeptLeftoversOptions options) : options_(std::move(options)) {}

  // Finds the runs that will be kept. Call it before EndRuns, and before the first runner is made.
  // A runner must not start a task to which one of these runs may belong.
  void Find();
  // Returns the runs that Find has found. Any of them may end at any time.
  const std::vector<RunId>& unknown_runs() const { return unknown_runs_; }

  // Ends the runs that earlier agents left, except the runs that are kept. From now on, the ledger
  // of this agent names the kept runs.
  Co<void> EndRuns(Context context);
  // Removes the directories and records of those allocations whose runs EndRuns has ended.
  Co<void> RemoveDirectories();

 private:
  // An allocation whose runs have ended. Only its records are left, and its directory if it has
  // one.
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
