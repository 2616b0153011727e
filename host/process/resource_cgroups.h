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

// The limits of a run's resources. A member that is 0 or empty sets no limit.
struct ResourceLimits {
  bool any() const {
    return memory > 0 || memory_max > 0 || cpu_shares > 0 || max_processes > 0 || cpu_time > 0 ||
           !cores.empty();
  }

  std::int64_t memory = 0;  // in bytes; the hard limit, unless MEMORY_MAX is larger
  // In bytes. If MEMORY_MAX is larger than MEMORY, MEMORY_MAX is the hard limit. Then the run
  // keeps at least MEMORY bytes when the machine is short of memory.
  std::int64_t memory_max = 0;
  std::int64_t cpu_shares = 0;     // a weight; the default of the kernel is 1024
  std::int64_t max_processes = 0;  // the maximum number of processes and threads
  double cpu_time = 0;             // maximum processor seconds per second, even on an idle machine
  std::string cores{};             // the cores that the run may use: "0,5-7"; empty: all cores
};

// The cgroups that limit runs and count their usage. In version 1, a run has one cgroup in the
// hierarchy of each controller. In version 2, the run's tracking cgroup also has the limits. Either
// version may lack a controller. Control thread only.
class ResourceCgroups {
 public:
  // Finds the controllers. Does not make cgroups, which Create does. MOUNTS is the text of
  // /proc/self/mounts. TRACKING_ROOT is the directory of the tracking cgroups, or empty. UNIT is
  // the cgroup above TRACKING_ROOT that systemd has delegated to the agent, or empty.
  //
  // If UNIT is not empty, the version 2 controllers are those that UNIT lists, and cgroups above
  // UNIT are not changed. In each version 1 hierarchy, the agent has a directory. Its name is
  // "drover" if UNIT is not empty, otherwise the last part of TRACKING_ROOT.
  static std::unique_ptr<ResourceCgroups> Open(const std::string& mounts,
                                               const std::string& tracking_root,
                                               const std::string& unit = "");

  struct Run {
    std::vector<UniqueFd> cgroups;  // version 1 cgroups, which the task's processes must enter
    UniqueFd memory_events;         // a file with a line "oom_kill N"
  };
  // Makes the cgroups of RUN and sets LIMITS. TRACKING is the run's version 2 cgroup, or -1. A
  // limit whose controller is missing is ignored; only LIMITS.cores without a controller is an
  // error. If Create returns an error, it has removed the cgroups that it made.
  Result<Run> Create(const RunId& run, const ResourceLimits& limits, int tracking);
  // Opens the cgroups that Create has made for RUN. There are none if RUN has no limits. TRACKING
  // is the run's version 2 cgroup, or -1.
  Run OpenAll(const RunId& run, int tracking) const;
  // Makes a cgroup of the version 1 controller cpuacct, which counts the run's processor time.
  // Returns an empty descriptor if Create has made a cgroup in the same hierarchy, if there is no
  // such controller, or if the cgroup cannot be made. There is no error, because a task must not
  // fail for lack of statistics.
  UniqueFd CreateAccounting(const RunId& run);
  // Returns the mount point of the version 1 controller cpuacct, or an empty text if it is not
  // mounted.
  const std::string& accounting_hierarchy() const { return accounting_hierarchy_; }
  // Removes the cgroups that Create and CreateAccounting made. Returns false if one of them still
  // has processes.
  bool Remove(const RunId& run);

  // Opens the version 1 cgroup of the run for CONTROLLER, which may be "cpuacct". Returns an empty
  // descriptor if the run has no such cgroup.
  UniqueFd OpenRun(const RunId& run, const std::string& controller) const;

  // Returns the name of the agent's directory in each version 1 hierarchy.
  const std::string& directory_name() const { return name_; }

  // Returns the controllers that this machine lacks, such as "memory, pids".
  std::string missing() const;

 private:
  struct Controller {
    std::string name;
    std::string top;   // the uppermost cgroup that the agent may change
    std::string root;  // a cgroup below TOP or TOP itself; it has a directory for each run
    bool unified = false;
  };
  bool Has(const std::string& name) const;
  Status Limit(const Controller& controller, const RunId& run, const ResourceLimits& limits,
               int tracking, Run* result);

  std::string name_ = "drover";
  std::vector<Controller> controllers_;
  std::string accounting_hierarchy_;
  std::string accounting_root_;
};

}  // namespace drover
