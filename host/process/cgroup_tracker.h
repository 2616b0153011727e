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

// Makes the cgroups by which runs are tracked. Each run has one cgroup, below a root of the agent
// or in a cgroup of the operator. The tracker uses the cgroups to find and kill the members of
// runs; other classes set limits. Where no version 2 hierarchy is mounted, the tracker uses cgroups
// of the version 1 freezer, whose frozen members can be killed without a race. Control thread only.
// No function accesses a disk.
class CgroupTracker {
 public:
  // If ROOT is empty, the root is "drover" below the mount point of the version 2 hierarchy.
  // Without a version 2 hierarchy, it is "drover" below the mount point of the freezer. The error
  // says why runs cannot be tracked by cgroups. NOTES is a borrowed directory for CgroupNotes.
  // With the notes, the tracker also finds the cgroups that an earlier agent made below another
  // root. If NOTES is -1, no notes are kept.
  static Result<std::unique_ptr<CgroupTracker>> Open(std::string root, int notes = -1);

  // Returns the mount point of the version 2 hierarchy. MOUNTS is the text of /proc/self/mounts.
  static std::optional<std::string> FindMount(const std::string& mounts);
  // Returns the mount point of the version 1 hierarchy that has CONTROLLER.
  static std::optional<std::string> FindVersion1(const std::string& mounts,
                                                 const std::string& controller);

  // Removes the cgroup at PATH and the cgroups that its members made below it. Returns false if
  // the cgroup still has members.
  static bool RemoveTree(const std::string& path);

  // The members of the cgroup DIRECTORY, of any version, and of the cgroups below it.
  static std::vector<pid_t> MembersIn(int directory);
  // Kills the members of a version 1 cgroup, or of one that the kernel cannot kill at once, and of
  // the cgroups below it. If FREEZER is true, DIRECTORY is one of the freezer.
  static void KillIn(int directory, bool freezer);

  // Makes the cgroup of RUN and opens it. The error is kFailedPrecondition if the cgroup exists
  // already.
  Result<UniqueFd> Create(const RunId& run);
  // Makes the cgroup of RUN in PARENT, a version 2 cgroup of the operator, and opens it. Must not
  // be called if is_freezer() is true.
  Result<UniqueFd> CreateIn(int parent, const RunId& run);

  // Makes the cgroup of RUN in GROUP, the open cgroup of another run, and opens it. Whatever is
  // done to the cgroup of that run is then also done to this one.
  Result<UniqueFd> CreateBelow(int group, const RunId& run);

  enum class State { kNone, kEmpty, kAlive };
  // Reports whether the run has a cgroup, and whether that cgroup or a cgroup below it has living
  // members. Returns an error if the state of the cgroup cannot be read now.
  Result<State> Look(const RunId& run) const;
  // Returns true if the cgroup of the run has living members, or may have some.
  bool Populated(const RunId& run) const;
  // Kills all members of the run's cgroup and of the cgroups below it. Does nothing if the run has
  // no cgroup. If the tracker uses the freezer, a member that hangs in the kernel may not be
  // frozen in time, and may fork before it is killed. So the caller must call Kill again while the
  // cgroup has members.
  void Kill(const RunId& run) const;
  // Holds all members of the run's cgroup and of the cgroups below it, or lets them go on. A member
  // that hangs in the kernel is held as soon as it leaves the kernel. The error is kNotFound if the
  // run has no cgroup, and kUnimplemented if the kernel is too old for it.
  Status SetFrozen(const RunId& run, bool frozen) const;
  // Returns true if SetFrozen holds the members of the run.
  bool Frozen(const RunId& run) const;
  // Removes the cgroup of the run and the cgroups that its members made. Returns false if the
  // cgroup still has members.
  bool Remove(const RunId& run) const;

  std::vector<pid_t> Members(const RunId& run) const;  // in or below the run's cgroup
  // Opens the directory of the cgroup of RUN. If the open fails, errno has the reason; ENOENT means
  // that the run has no cgroup.
  UniqueFd OpenRun(const RunId& run) const;

  const std::string& root() const { return root_; }
  // True if the tracker uses the version 1 freezer. Then a process must enter its cgroup by
  // itself, and the kernel cannot kill all members at once.
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
