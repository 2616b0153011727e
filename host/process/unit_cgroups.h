// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/base/result.h"

namespace drover {

// A unit of systemd with Delegate=yes: the cgroups below its own are ours, and systemd lets them
// be. A cgroup that hands controllers down cannot have processes itself, so the agent leaves it.
//
// Nor can systemd put the next agent there while tasks of the last one have limits (before its
// version 254). So the unit of an agent whose tasks outlive it, X.service, has another beside it
// for them, X-tasks.service, of which a process that does nothing keeps the cgroup.
struct UnitCgroups {
  std::string unit;           // the directory of the unit's cgroup
  bool is_for_tasks = false;  // X-tasks.service: this process is not in it

  std::string agent() const { return unit + "/agent"; }    // where this process is
  std::string keeper() const { return unit + "/keeper"; }  // where that process is
  std::string shims() const { return unit + "/shims"; }
  std::string tasks() const { return unit + "/tasks"; }  // with one for each run
};

// Moves this process to the cgroup of the agent, if its unit was delegated, or the keeper of the
// unit beside it to its own, if that was; nothing otherwise. Once they are there, it only looks.
// Processes that were forked before stay where they are: call it first.
Result<std::optional<UnitCgroups>> EnterUnitCgroups();

// The same with given texts of /proc/self/mounts and /proc/self/cgroup, without moving: the unit
// that a process is in, or in whose agent cgroup, or the one beside it. IS_DELEGATED tells of a
// directory.
std::optional<UnitCgroups> FindUnitCgroups(const std::string& mounts, const std::string& cgroups,
                                           bool (*is_delegated)(const std::string& directory));

}  // namespace drover
