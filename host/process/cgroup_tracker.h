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

// The cgroups in which runs are tracked: one directory per run below a root of ours, or in a cgroup
// of the operator. Only for
// knowing and killing the members; limits are set elsewhere. Where no version 2 hierarchy is
// mounted it is the freezer of version 1: what is frozen can be killed without a race. Control
// thread only; nothing here touches a disk.
class CgroupTracker {
 public:
  // ROOT empty: "drover" below the mount point of the version 2 hierarchy, else of the freezer. The
  // error says why runs cannot be tracked so. NOTES, borrowed, is where the cgroups are noted,
  // and those that an agent with another root has made are found; -1: nowhere.
  static Result<std::unique_ptr<CgroupTracker>> Open(std::string root, int notes = -1);

  // The mount point of the version 2 hierarchy by the text of /proc/self/mounts.
  static std::optional<std::string> FindMount(const std::string& mounts);
  // The same for the version 1 hierarchy of CONTROLLER.
  static std::optional<std::string> FindVersion1(const std::string& mounts,
                                                 const std::string& controller);

  // Removes the cgroup at PATH with those that its members have made below it; false: there are
  // members yet.
  static bool RemoveTree(const std::string& path);

  // Makes the cgroup of RUN and opens it. kFailedPrecondition: it is there already.
  Result<UniqueFd> Create(const RunId& run);
  // The same in PARENT, a version 2 cgroup of the operator; not with the freezer.
  Result<UniqueFd> CreateIn(int parent, const RunId& run);

  enum class State { kNone, kEmpty, kAlive };
  // Has it a cgroup, and that living members, directly or below? The error: nobody can tell now.
  Result<State> Look(const RunId& run) const;
  // Whether it has, or may have, living members.
  bool Populated(const RunId& run) const;
  // Kills all members, below too. A cgroup that does not exist has none. With the freezer, members
  // that hang in the kernel, and so cannot be frozen in time, may have multiplied: ask again.
  void Kill(const RunId& run) const;
  // Removes the cgroup with those that its members have made; false: there are members yet.
  bool Remove(const RunId& run) const;

  std::vector<pid_t> Members(const RunId& run) const;  // below too
  // The directory of RUN; none if it has no cgroup, by errno: ENOENT, or it cannot be opened.
  UniqueFd OpenRun(const RunId& run) const;

  std::vector<RunId> Runs() const;
  const std::string& root() const { return root_; }
  // A process enters it by itself, and the kernel kills nobody in it.
  bool is_freezer() const { return freezer_; }

 private:
  CgroupTracker(std::string root, UniqueFd directory, bool freezer, int notes)
      : root_(std::move(root)),
        directory_(std::move(directory)),
        freezer_(freezer),
        notes_(notes) {}

  Result<UniqueFd> MakeNoted(int parent, const std::string& path, const RunId& run);

  std::string root_;
  UniqueFd directory_;
  bool freezer_;
  CgroupNotes notes_;
};

}  // namespace drover
