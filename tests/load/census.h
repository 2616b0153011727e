// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <set>
#include <vector>

#include "bench/local_node.h"

namespace drover::load {

// What this process has and what it keeps on the machine.
struct Census {
  long contexts = 0;
  long task_runners = 0;
  long supervised_runs = 0;
  long threads = 0;
  long descriptors = 0;
  long descendants = 0;    // the process must be the subreaper of its tasks
  long mounts = 0;         // below the scratch directory
  long run_entries = 0;    // sockets and exit records of shims
  long alloc_entries = 0;  // directories of allocations
  long cgroups = 0;        // without members, made since BEFORE

  bool operator==(const Census&) const = default;
};
void PrintTo(const Census& census, std::ostream* out);

// Runs of which there are cgroups, of whatever process on this machine.
std::set<RunId> CgroupRuns(ProcessService* processes);

// Reaps what has ended, and counts.
Census TakeCensus(bench::LocalNode* node, const bench::Scratch& scratch,
                  const std::set<RunId>& before);

// What was started has a moment to go away: counts until the census is WANTED, at most PATIENCE.
Census SettledCensus(bench::LocalNode* node, const bench::Scratch& scratch,
                     const std::set<RunId>& before, const Census& wanted, Duration patience = 10s);

// Of this process, what the allocator keeps given back before.
long ResidentKib();

}  // namespace drover::load
