// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/file_lock.h"
#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// The leftovers of a dead node, as its ledger names them.
struct LedgerLeftovers {
  std::string file;  // the ledger's file name in the run directory
  FileLock lock;     // held, so that no other node clears the same leftovers away
  std::string alloc_base;
  bool base_is_own = false;
  // If true, the runs continue without their node. The node takes them over when it starts again.
  bool kept = false;
  std::vector<RunId> runs;
  std::vector<std::string> allocs;
};

// The list of runs and allocation directories that a node has begun on this machine and has not
// cleared away yet. Each entry is written before its run or directory is made. The node locks its
// ledger as long as the node lives. So other nodes do not mistake what this node still uses for
// the leftovers of a dead node.
//
// Each node has one file in the run directory. The run directory is a tmpfs that only the agent's
// user can enter, so the entries are trusted. A reboot removes the entries together with the runs.
// Control thread only.
class RunLedger {
 public:
  // Decides what becomes of the leftovers if the node dies.
  enum class Kind {
    kGiven,  // the first node that starts clears the leftovers away
    kOwn,    // like kGiven, but ALLOC_BASE was made for this node and is removed when empty
    kKept,   // the runs continue; see LedgerLeftovers::kept
  };
  // Makes the ledger of the node NODE_ID. ALLOC_BASE holds the directories of its allocations.
  static Result<std::unique_ptr<RunLedger>> Create(UniqueFd run_directory,
                                                   const std::string& node_id,
                                                   const std::string& alloc_base, Kind kind);
  // Removes the ledger's file, unless it still has entries. The next node takes care of such
  // entries.
  ~RunLedger();
  RunLedger(const RunLedger&) = delete;
  RunLedger& operator=(const RunLedger&) = delete;

  // After AddRun, RemoveRun, AddAlloc or RemoveAlloc returns, its change survives a kill of this
  // process.
  Status AddRun(const RunId& run) { return Add("run " + run.ToString()); }
  void RemoveRun(const RunId& run) {
    if (!held_.contains(run)) Remove("run " + run.ToString());
  }
  // RemoveRun does nothing for RUN until LetGoOfRun is called.
  void HoldRun(const RunId& run) { held_.insert(run); }
  void LetGoOfRun(const RunId& run) { held_.erase(run); }
  Status AddAlloc(const std::string& alloc_id) { return Add("alloc " + alloc_id); }
  void RemoveAlloc(const std::string& alloc_id) { Remove("alloc " + alloc_id); }

  // Returns the ledgers of dead nodes whose runs end with them, without their invalid entries.
  // Removes unfinished ledgers, whose nodes died before the ledgers were complete.
  static std::vector<LedgerLeftovers> FindDead(int run_directory);
  // Returns the ledgers of dead nodes that kept their state and used ALLOC_BASE. FindDead does not
  // even lock them, since their next agent looks for them only when it starts.
  static std::vector<LedgerLeftovers> FindKept(int run_directory, const std::string& alloc_base);
  // Removes a ledger. Call it after everything that the ledger names has been removed.
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
  // The slot of each entry. All slots have one size, and free slots are used again. So the file
  // does not grow even if a task restarts for years.
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> free_;
  std::set<RunId> held_;
  std::size_t end_ = 0;  // the number of slots in the file
};

}  // namespace drover
