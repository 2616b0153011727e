// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"
#include "host/process/cgroup_notes.h"

namespace drover {

// The cgroups in which runs are tracked: one directory per run, below a root of ours or in a cgroup
// of the operator. They serve to know and kill the members; limits are set elsewhere. Where no
// version 2 hierarchy is mounted, they are cgroups of the version 1 freezer, since frozen members
// can be killed without a race. Control thread only; nothing here touches a disk.
class CgroupTracker {
 public:
  // ROOT empty: "drover" below the mount point of the version 2 hierarchy, else of the freezer. The
  // error says why runs cannot be tracked by cgroups. NOTES is a borrowed directory for
  // CgroupNotes, by which cgroups of an agent with another root are found, too; -1: none.
  static Result<std::unique_ptr<CgroupTracker>> Open(std::string root, int notes = -1);

  // The mount point of the version 2 hierarchy. MOUNTS is the text of /proc/self/mounts.
  static std::optional<std::string> FindMount(const std::string& mounts);
  // The same for the version 1 hierarchy of CONTROLLER.
  static std::optional<std::string> FindVersion1(const std::string& mounts,
                                                 const std::string& controller);

  // Removes the cgroup at PATH and the cgroups that its members made below it. False: it still has
  // members.
  static bool RemoveTree(const std::string& path);

  // Makes the cgroup of RUN and opens it. kFailedPrecondition: it exists already.
  Result<UniqueFd> Create(const RunId& run);
  // The same in PARENT, a version 2 cgroup of the operator. Not allowed with the freezer.
  Result<UniqueFd> CreateIn(int parent, const RunId& run);

  enum class State { kNone, kEmpty, kAlive };
  // Reports if the run has a cgroup, and if that has living members, directly or below. An error:
  // this cannot be found out now.
  Result<State> Look(const RunId& run) const;
  // True if it has, or may have, living members.
  bool Populated(const RunId& run) const;
  // Kills all members, also in cgroups below. Without a cgroup it does nothing. With the freezer,
  // members that hang in the kernel are not frozen in time and may have forked: call it again.
  void Kill(const RunId& run) const;
  // Removes the cgroup and the cgroups that its members made. False: it still has members.
  bool Remove(const RunId& run) const;

  std::vector<pid_t> Members(const RunId& run) const;  // also in cgroups below
  // Opens the directory of RUN. If that fails errno says why; ENOENT: the run has no cgroup.
  UniqueFd OpenRun(const RunId& run) const;

  const std::string& root() const { return root_; }
  // With the freezer a process must enter its cgroup itself, and the kernel does not kill members.
  bool is_freezer() const { return freezer_; }

 private:
  CgroupTracker(std::string root, UniqueFd directory, bool freezer, int notes)
      : root_(std::move(root)),
        directory_(std::move(directory)),
        freezer_(freezer),
        notes_(notes) {}

  Status Try(const RunId& trial);
  Result<UniqueFd> MakeNoted(int parent, const std::string& path, const RunId& run);

  std::string root_;
  UniqueFd directory_;
  bool freezer_;
  CgroupNotes notes_;
};

}  // namespace drover
