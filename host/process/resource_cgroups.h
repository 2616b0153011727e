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

// The limits of a run's resources. 0: no limit.
struct ResourceLimits {
  bool any() const {
    return memory > 0 || memory_max > 0 || cpu_shares > 0 || max_processes > 0 || cpu_time > 0 ||
           !cores.empty();
  }

  std::int64_t memory = 0;         // bytes; the hard limit, unless MEMORY_MAX is larger
  std::int64_t memory_max = 0;     // bytes; the run then keeps MEMORY when memory is short
  std::int64_t cpu_shares = 0;     // a weight; others have 1024
  std::int64_t max_processes = 0;  // processes and threads
  double cpu_time = 0;             // processor seconds per second, even on an idle machine
  std::string cores{};             // the only cores that it runs on: "0,5-7"; empty: all
};

// The cgroups that limit runs and count their usage. Version 1: one in each controller's hierarchy.
// Version 2: the run's tracking cgroup itself. Either version may lack a controller. Control
// thread.
class ResourceCgroups {
 public:
  // MOUNTS is the text of /proc/self/mounts. TRACKING_ROOT is the directory of the tracking cgroups
  // or empty; its last part names our directory in each version 1 hierarchy. UNIT is the cgroup
  // above it that was delegated to us, or empty. With a UNIT, the version 2 controllers are those
  // that it lists, cgroups above it are not ours, and the name in version 1 is "drover". Changes
  // nothing: Create makes the cgroups.
  static std::unique_ptr<ResourceCgroups> Open(const std::string& mounts,
                                               const std::string& tracking_root,
                                               const std::string& unit = "");

  struct Run {
    std::vector<UniqueFd> cgroups;  // of version 1; the task's processes must enter them
    UniqueFd memory_events;         // with a line "oom_kill N"
  };
  // TRACKING is the run's cgroup of version 2, or -1. Limits without a controller are left out,
  // except cores, which are an error then. After an error nothing is left but TRACKING.
  Result<Run> Create(const RunId& run, const ResourceLimits& limits, int tracking);
  // Makes a cgroup of the controller cpuacct of version 1, which counts the run's processor time,
  // unless Create has made one in the same hierarchy. Returns none if there is no such controller
  // or the cgroup cannot be made: no task fails because of its statistics.
  UniqueFd CreateAccounting(const RunId& run);
  // The mount point of cpuacct of version 1; empty: there is none.
  const std::string& accounting_hierarchy() const { return accounting_hierarchy_; }
  // Removes the cgroups that Create and CreateAccounting made. False: they still have processes.
  bool Remove(const RunId& run);

  // Opens the version 1 cgroup of the run for CONTROLLER, which may be "cpuacct". Empty if it has
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
