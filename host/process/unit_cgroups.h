// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/base/result.h"

namespace drover {

// A unit of systemd with Delegate=yes: the cgroups below its cgroup are ours, and systemd leaves
// them alone. A cgroup that hands controllers down cannot have processes itself, so the agent moves
// to a cgroup below.
//
// For the same reason systemd before version 254 cannot start the next agent there while tasks of
// the last one have limits. So an agent X.service whose tasks outlive it has a second unit for
// them, X-tasks.service. An idle process, the keeper, keeps the cgroup of that unit.
struct UnitCgroups {
  std::string unit;           // the directory of the unit's cgroup
  bool is_for_tasks = false;  // X-tasks.service: this process is not in it

  std::string agent() const { return unit + "/agent"; }    // where this process is
  std::string keeper() const { return unit + "/keeper"; }  // where the idle process is
  std::string shims() const { return unit + "/shims"; }
  std::string tasks() const { return unit + "/tasks"; }  // has a cgroup for each run
};

// Makes the cgroups of a delegated unit. If it is the unit of this process, moves this process to
// the agent's cgroup; if it is X-tasks.service, moves its keeper to the keeper's cgroup. Returns
// nothing if neither is delegated. A second call changes nothing. Processes that were forked before
// stay where they are, so call it first.
Result<std::optional<UnitCgroups>> EnterUnitCgroups();

// Finds the unit from the texts of /proc/self/mounts and /proc/self/cgroup, without moving a
// process: the unit that the process is in, directly or in its agent cgroup, or the unit beside it.
// IS_DELEGATED answers for the directory of a cgroup.
std::optional<UnitCgroups> FindUnitCgroups(const std::string& mounts, const std::string& cgroups,
                                           bool (*is_delegated)(const std::string& directory));

}  // namespace drover
