// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// What a run may use at most. 0: no limit.
struct ResourceLimits {
  bool any() const {
    return memory > 0 || memory_max > 0 || cpu_shares > 0 || max_processes > 0 || cpu_time > 0 ||
           !cores.empty();
  }

  std::int64_t memory = 0;         // bytes; the hard limit, unless MEMORY_MAX is larger
  std::int64_t memory_max = 0;     // bytes; then MEMORY is what it keeps when memory is short
  std::int64_t cpu_shares = 0;     // relative to 1024 of the others
  std::int64_t max_processes = 0;  // processes and threads
  double cpu_time = 0;             // seconds of all processors in a second, also if others are idle
  std::string cores{};             // "0,5-7": it runs on no others; empty: on all
};

// The cgroups that limit runs and count what they use. Version 1: one below each controller's
// hierarchy. Version 2: the run's tracking cgroup itself. Either may be missing a controller.
// Control thread.
class ResourceCgroups {
 public:
  // MOUNTS is the text of /proc/self/mounts, TRACKING_ROOT the directory of the tracking cgroups or
  // empty; its last part is the name below each hierarchy of version 1. UNIT is the cgroup above it
  // that was handed to us: it tells which controllers there are, what is above it is not ours, and
  // the name in version 1 is "drover". Only looks: what is needed is made by Create.
  static std::unique_ptr<ResourceCgroups> Open(const std::string& mounts,
                                               const std::string& tracking_root,
                                               const std::string& unit = "");

  struct Run {
    std::vector<UniqueFd> cgroups;  // of version 1, which the task's processes are to enter
    UniqueFd memory_events;         // with a line "oom_kill N"
  };
  // TRACKING is the run's cgroup of version 2, or -1. Limits for which there is no controller are
  // left out, but cores are an error then. After an error nothing is left but TRACKING.
  Result<Run> Create(const RunId& run, const ResourceLimits& limits, int tracking);
  // Makes a cgroup of the controller cpuacct of version 1, which counts the run's processor time,
  // unless Create has made one in the same hierarchy. None where there is no such controller or it
  // cannot be made: no task fails for its statistics.
  UniqueFd CreateAccounting(const RunId& run);
  // The mount point of that controller; empty: there is none.
  const std::string& accounting_hierarchy() const { return accounting_hierarchy_; }
  // Removes what these have made, when its processes are gone. False: not yet.
  bool Remove(const RunId& run);

  // The cgroup of version 1 that the run has for CONTROLLER, "cpuacct" included; none if there is
  // none.
  UniqueFd OpenRun(const RunId& run, const std::string& controller) const;

  // "memory, pids": the controllers that this machine does not have.
  std::string missing() const;

 private:
  struct Controller {
    std::string name;
    std::string top;   // the uppermost cgroup that is ours to change
    std::string root;  // below it, with a directory for each run
    bool unified = false;
  };
  bool Has(const std::string& name) const;
  Status Limit(const Controller& controller, const RunId& run, const ResourceLimits& limits,
               int tracking, Run* result);

  std::vector<Controller> controllers_;
  std::string accounting_hierarchy_;
  std::string accounting_root_;
};

}  // namespace drover
