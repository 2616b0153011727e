// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <ostream>
#include <set>
#include <string>

#include "bench/local_node.h"

namespace drover::load {

// The objects of this process, and its traces on the machine.
struct Census {
  long contexts = 0;
  long task_runners = 0;
  long alloc_runners = 0;
  long supervised_runs = 0;
  long streams = 0;  // of the drivers
  long threads = 0;
  long descriptors = 0;
  long descendants = 0;    // the process must be the subreaper of its tasks
  long mounts = 0;         // below the scratch directory
  long run_entries = 0;    // sockets and exit records of shims
  long alloc_entries = 0;  // directories of allocations
  long cgroups = 0;        // of the noted runs

  bool operator==(const Census&) const = default;
};
void PrintTo(const Census& census, std::ostream* out);

// The short names of runs; the run directory has them while the runs live.
using RunNames = std::set<std::string>;
// Adds the names of the runs that live now.
void NoteRuns(const bench::Scratch& scratch, RunNames* names);

// Reaps ended children, and counts. OWN: the runs whose cgroups count; others on this machine
// belong to other tests.
Census TakeCensus(bench::LocalNode* node, const bench::Scratch& scratch, const RunNames& own);

// Counts again until SETTLED returns true, for PATIENCE at most: some things end a moment later.
Census SettledCensus(bench::LocalNode* node, const bench::Scratch& scratch, const RunNames& own,
                     const std::function<bool(const Census&)>& settled, Duration patience = 10s);

// The memory of this process, after the allocator has returned its free memory.
long ResidentKib();

}  // namespace drover::load
