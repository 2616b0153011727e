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

// The leftovers of a dead node, as its ledger names them.
struct LedgerLeftovers {
  std::string file;  // its name in the run directory
  UniqueFd lock;     // held, so that no other node clears up the same
  std::string alloc_base;
  bool base_is_own = false;
  bool kept = false;  // the runs go on without their node, which takes them over when it is back
  std::vector<RunId> runs;
  std::vector<std::string> allocs;
};

// The list of runs and allocation directories that a node has begun on this machine and not yet
// cleared away. Each is written down before it is made. The node locks its ledger as long as it
// lives, so other nodes do not mistake what it still uses for the leftovers of a dead node.
//
// Each node has one file in the run directory. That is a tmpfs that only the agent's user can
// enter, so its entries are trusted, and a reboot removes them with the runs. Control thread only.
class RunLedger {
 public:
  // Says what becomes of the leftovers.
  enum class Kind {
    kGiven,  // the first node that comes clears them away
    kOwn,    // the same, and ALLOC_BASE was made for this node and is removed when empty
    kKept,   // LedgerLeftovers::kept
  };
  // Makes the ledger of the node NODE_ID. ALLOC_BASE holds the directories of its allocations.
  static Result<std::unique_ptr<RunLedger>> Create(UniqueFd run_directory,
                                                   const std::string& node_id,
                                                   const std::string& alloc_base, Kind kind);
  // Removes the file, unless it still has entries: then the next node takes care of them.
  ~RunLedger();
  RunLedger(const RunLedger&) = delete;
  RunLedger& operator=(const RunLedger&) = delete;

  // Once these return, their change survives a kill of this process.
  Status AddRun(const RunId& run) { return Add("run " + run.ToString()); }
  void RemoveRun(const RunId& run) {
    if (!held_.contains(run)) Remove("run " + run.ToString());
  }
  // Until LetGoOfRun, RemoveRun does nothing for RUN.
  void HoldRun(const RunId& run) { held_.insert(run); }
  void LetGoOfRun(const RunId& run) { held_.erase(run); }
  Status AddAlloc(const std::string& alloc_id) { return Add("alloc " + alloc_id); }
  void RemoveAlloc(const std::string& alloc_id) { Remove("alloc " + alloc_id); }

  // The ledgers of dead nodes, without their invalid entries. Removes the unfinished ledgers of
  // nodes that died while they made them.
  static std::vector<LedgerLeftovers> FindDead(int run_directory);
  // Removes a ledger after all that it names is gone.
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
  // Entries lie in slots of one size, and free slots are used again: the file does not grow even if
  // a task restarts for years.
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> free_;
  std::set<RunId> held_;
  std::size_t end_ = 0;  // the number of slots in the file
};

}  // namespace drover
