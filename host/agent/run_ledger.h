// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// What the ledger of a node that died says is left of it.
struct LedgerLeftovers {
  std::string file;  // its name in the run directory
  UniqueFd lock;     // held: no other node clears up the same
  std::string alloc_base;
  bool base_is_own = false;
  bool kept = false;  // the runs go on without their node, which takes them over when it is back
  std::vector<RunId> runs;
  std::vector<std::string> allocs;
};

// What a node has begun on this machine and not yet cleared away: its runs and the directories of
// its allocations, each written down before it is made. The node holds a lock on its ledger for as
// long as it lives, so another can tell what a dead one has left from what a living one still uses.
//
// One file per node, in the run directory: a tmpfs that only the agent's user can enter, so what it
// names is trusted, and it is gone after a reboot as the runs are. Control thread only.
class RunLedger {
 public:
  // Makes the ledger of the node NODE_ID. ALLOC_BASE holds the directories of its allocations;
  enum class Kind {
    kGiven,  // what is left is cleared away by whoever comes first
    kOwn,    // the same, and the base was made for this node and goes when it is empty
    kKept,   // LedgerLeftovers::kept
  };
  static Result<std::unique_ptr<RunLedger>> Create(UniqueFd run_directory,
                                                   const std::string& node_id,
                                                   const std::string& alloc_base, Kind kind);
  // Removes the file, unless something still stands in it: then the next node looks after it.
  ~RunLedger();
  RunLedger(const RunLedger&) = delete;
  RunLedger& operator=(const RunLedger&) = delete;

  // What is written survives a kill of this process as soon as these return.
  Status AddRun(const RunId& run) { return Add("run " + run.ToString()); }
  void RemoveRun(const RunId& run) {
    if (!held_.contains(run)) Remove("run " + run.ToString());
  }
  // Until it is let go of, RemoveRun does nothing for RUN.
  void HoldRun(const RunId& run) { held_.insert(run); }
  void LetGoOfRun(const RunId& run) { held_.erase(run); }
  Status AddAlloc(const std::string& alloc_id) { return Add("alloc " + alloc_id); }
  void RemoveAlloc(const std::string& alloc_id) { Remove("alloc " + alloc_id); }

  // The ledgers of nodes that have died. Entries that make no sense are left out. What a node left
  // that died while it made its ledger is removed.
  static std::vector<LedgerLeftovers> FindDead(int run_directory);
  // Forgets one, when all that it names is gone.
  static void Forget(int run_directory, const LedgerLeftovers& leftovers);

 private:
  RunLedger(UniqueFd run_directory, std::string name, UniqueFd file, std::size_t header_size);
  Status Add(const std::string& entry);
  void Remove(const std::string& entry);
  bool Write(std::size_t slot, const std::string& entry);

  const UniqueFd run_directory_;
  const std::string name_;
  const UniqueFd file_;
  const std::size_t header_size_;
  // Entries lie in slots of one size, and a free slot is used again: a task that is restarted for
  // years does not make the file longer.
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> free_;
  std::set<RunId> held_;
  std::size_t end_ = 0;  // slots of the file
};

}  // namespace drover
