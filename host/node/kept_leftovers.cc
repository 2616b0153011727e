// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/kept_leftovers.h"

#include <spdlog/spdlog.h>

#include <set>
#include <utility>

#include "host/base/gate.h"

namespace drover {
namespace {

// Returns the runs that any record in KEPT names.
std::set<RunId> KnownRuns(const KeptState& kept) {
  std::set<RunId> known = kept.runs();
  for (const auto& [id, remains] : kept.remains()) {
    known.insert(remains.runs.begin(), remains.runs.end());
  }
  return known;
}

}  // namespace

void KeptLeftovers::Find() {
  if (!options_.keep_unknown) return;
  const auto add_living = [this](const std::vector<RunId>& runs) {
    for (const RunId& run : runs) {
      if (Lives(run)) unknown_runs_.push_back(run);
    }
  };
  for (const LedgerLeftovers& left : UnknownLedgers()) add_living(left.runs);
  for (const auto& [id, remains] : options_.kept->remains()) {
    if (!remains.let_go) add_living(remains.runs);
  }
}

Co<void> KeptLeftovers::EndRuns(Context context) {
  co_await TakeOverLedgers(context);
  std::vector<Co<void>> all;
  for (const auto& [id, remains] : options_.kept->remains()) {
    all.push_back(EndAlloc(context, id, &remains));
  }
  co_await InParallel(options_.loop, std::move(all));
}

// Returns the ledgers of dead nodes that kept their state and used the allocation directory of this
// node. Each returned ledger lists only the runs that no record names.
std::vector<LedgerLeftovers> KeptLeftovers::UnknownLedgers() const {
  const std::set<RunId> known = KnownRuns(*options_.kept);
  std::vector<LedgerLeftovers> found =
      RunLedger::FindKept(options_.run_directory.get(), options_.alloc_dir);
  for (LedgerLeftovers& left : found)
    std::erase_if(left.runs, [&](const RunId& run) { return known.count(run) > 0; });
  return found;
}

// Ends the runs in the ledgers that UnknownLedgers returns, or moves the runs to the ledger of this
// agent. Does not remove directories.
Co<void> KeptLeftovers::TakeOverLedgers(Context context) {
  const Context limited = context.WithTimeout(kReleaseLimit);
  for (const LedgerLeftovers& left : UnknownLedgers()) {
    Status first;
    std::vector<Co<void>> releases;
    for (const RunId& run : left.runs) {
      const bool lives = Lives(run);
      const bool keep = options_.keep_unknown;
      spdlog::warn("run {} belongs to no task that this agent knows: {}", run.ToString(),
                   !lives ? "it has ended" : (keep ? "unknown_tasks keeps it" : "it is stopped"));
      if (!keep || !lives) {
        releases.push_back(ReleaseOrLater(limited, run));
        continue;
      }
      const Status added = options_.ledger->AddRun(run);
      if (!added.ok() && first.ok()) first = added;
    }
    co_await InParallel(options_.loop, std::move(releases));
    if (first.ok()) {
      RunLedger::Forget(options_.run_directory.get(), left);
    } else {
      spdlog::warn("an unknown run stays in its old ledger: {}", first.error().message());
    }
  }
}

Co<void> KeptLeftovers::ReleaseOrLater(Context context, RunId run) {
  const Status released = co_await options_.processes->Release(context, run);
  if (released.ok()) co_return;
  spdlog::warn("run {} cannot be released and is tried again: {}", run.ToString(),
               released.error().message());
  options_.late->Add(run);
}

// Ends the runs of the allocation ID, unless they must be kept. The record of the allocation is
// missing or was garbage-collected. The directory of the allocation is removed later. But if the
// store has lost records, the directory stays, because it may be all that is left of somebody's
// work.
Co<void> KeptLeftovers::EndAlloc(Context context, std::string id,
                                 const KeptState::Remains* remains) {
  Ended ended;
  ended.remains = remains;
  ended.left.alloc_base = options_.alloc_dir;
  ended.left.runs = remains->runs;
  bool keeps = false;
  if (!remains->let_go && !KeepUnknown(id, &ended.left, &keeps)) co_return;
  if (!options_.kept->damaged() && !keeps) ended.left.allocs.push_back(id);
  const Status status = co_await options_.leftovers->EndRuns(context, &ended.left);
  if (!status.ok()) {
    spdlog::warn("allocation {} cannot be cleared away: {}", id, status.error().message());
    co_return;
  }
  if (ended.left.allocs.empty()) {
    spdlog::warn("the directory {}/{} belongs to no allocation that this agent knows: it is kept",
                 options_.alloc_dir, id);
  }
  ended_.push_back(std::move(ended));
}

// Moves the runs that must keep running from LEFT to the ledger of this agent, and sets KEEPS if
// there are any. Later agents find these runs only in ledgers, and drop a run that has ended.
// Returns false if the ledger cannot store a run. The records that name the run must then stay.
bool KeptLeftovers::KeepUnknown(const std::string& alloc_id, LedgerLeftovers* left, bool* keeps) {
  for (const RunId& run : std::vector<RunId>(left->runs)) {
    if (!Lives(run)) continue;
    const bool keep = options_.keep_unknown;
    spdlog::warn(
        "run {} belongs to no task that this agent knows: the record of allocation {} is lost: {}",
        run.ToString(), alloc_id, keep ? "unknown_tasks keeps it" : "it is stopped");
    if (!keep) continue;
    *keeps = true;
    std::erase(left->runs, run);
    const Status added = options_.ledger->AddRun(run);
    if (added.ok()) continue;
    spdlog::warn("run {}: {}", run.ToString(), added.error().message());
    return false;  // the records must stay, since only they name the run
  }
  return true;
}

Co<void> KeptLeftovers::RemoveDirectories() {
  const auto all = std::exchange(ended_, {});
  for (const Ended& ended : all) {
    if (options_.leftovers->given_up()) co_return;  // the next agent continues the removals
    const Status removed = co_await options_.leftovers->RemoveDirectories(&ended.left);
    if (!removed.ok()) {
      spdlog::warn("allocation {} cannot be cleared away: {}", ended.left.allocs.front(),
                   removed.error().message());
      continue;
    }
    for (const RecordKey& key : ended.remains->records) options_.kept->store()->Erase(key);
  }
}

}  // namespace drover
