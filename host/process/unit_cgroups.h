// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/base/result.h"

namespace drover {

// A unit of systemd with Delegate=yes. The agent may change the cgroups below the unit's cgroup,
// and systemd does not touch them. A cgroup that enables controllers for its children cannot have
// processes itself. So the agent moves to a cgroup below the unit's cgroup.
//
// systemd before version 254 starts an agent in the unit's cgroup itself. The start fails if tasks
// of the last agent still have limits, since the unit's cgroup then has enabled controllers. So if
// tasks must outlive their agent X.service, they have a unit of their own, X-tasks.service. An idle
// process, the keeper, keeps the cgroup of X-tasks.service.
struct UnitCgroups {
  std::string unit;           // the directory of the unit's cgroup
  bool is_for_tasks = false;  // the unit is X-tasks.service, and this process is not in it

  std::string agent() const { return unit + "/agent"; }    // the cgroup of this process
  std::string keeper() const { return unit + "/keeper"; }  // the cgroup of the idle process
  std::string shims() const { return unit + "/shims"; }
  std::string tasks() const { return unit + "/tasks"; }  // contains the cgroups of runs
};

// Makes the cgroups of a delegated unit and moves a process. If the unit is that of this process,
// moves this process to the agent's cgroup. If the unit is X-tasks.service, moves its keeper to the
// keeper's cgroup. Returns nothing if neither unit is delegated. A second call changes nothing.
// Must be called before any fork, because it does not move child processes.
Result<std::optional<UnitCgroups>> EnterUnitCgroups();

// Finds the delegated unit without moving a process. MOUNTS and CGROUPS are the texts of
// /proc/self/mounts and /proc/self/cgroup. The unit is the unit whose cgroup, or whose agent
// cgroup, contains this process. If this process is in X.service, the unit may instead be
// X-tasks.service. IS_DELEGATED returns whether the cgroup at DIRECTORY is delegated.
std::optional<UnitCgroups> FindUnitCgroups(const std::string& mounts, const std::string& cgroups,
                                           bool (*is_delegated)(const std::string& directory));

}  // namespace drover
