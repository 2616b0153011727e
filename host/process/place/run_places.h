// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/process/cgroup_notes.h"

namespace drover {

// The cgroup of a run whose processes an engine starts, and not the host.
struct RunPlace {
  // Relative to the mount point of each hierarchy that the engine uses: "/drover/RUN". The engine
  // makes cgroups of its own below it.
  std::string cgroup;
  // The directories by which the host measures: a controller of version 1, or an empty text for
  // version 2, and the absolute path of the directory.
  std::vector<std::pair<std::string, std::string>> directories;
};

// Makes and removes the places of runs. If the machine has controllers of version 1, a place has a
// directory in each hierarchy of version 1, as engines use them; otherwise it has one directory of
// version 2. Control thread only. No function accesses a disk.
class RunPlaces {
 public:
  // MOUNTS is the text of /proc/self/mounts. TRACKING_ROOT is the version 2 cgroup or the freezer's
  // below which runs are tracked. NAME is the directory of the agent in hierarchies of version 1.
  // NOTES is the borrowed run directory, where the places are noted for the next agent.
  RunPlaces(const std::string& mounts, const std::string& tracking_root, const std::string& name,
            int notes);

  // Makes the place of RUN. If the run has one already, which an earlier agent may have made,
  // returns that.
  Result<RunPlace> Make(const RunId& run);
  bool Has(const RunId& run) const { return notes_.Find(run).has_value(); }

  // The processes in and below the place, each once.
  std::vector<pid_t> Members(const RunId& run) const;
  // Kills all processes in and below the place. While the place has members, Kill must be called
  // again: without the freezer, a member of version 1 may fork before it is killed.
  void Kill(const RunId& run) const;
  // Removes the place and the cgroups below it. Returns false if a process is still there. Succeeds
  // if the run has no place.
  bool Remove(const RunId& run) const;
  // Returns how many processes of the place the kernel has killed for lack of memory, as far as it
  // still says so. In version 1, the count of a cgroup goes with the cgroup.
  std::uint64_t OomKills(const RunId& run) const;

 private:
  struct Hierarchy {
    std::string mount;
    std::string options;  // the names of its controllers are among them
  };
  struct Directory {
    std::string path;
    std::string options;  // empty in version 2
    bool unified() const { return options.empty(); }
  };
  // Returns all directories that the place NOTED may have.
  std::vector<Directory> DirectoriesOf(const std::string& noted) const;
  std::vector<Directory> DirectoriesOf(const RunId& run) const;
  std::string NewPlace(const RunId& run) const;

  std::string root_;           // of the places in version 2; empty: engines use version 1
  std::string unified_mount_;  // the mount point above ROOT_
  const std::string name_;
  std::vector<Hierarchy> hierarchies_;  // of version 1
  const CgroupNotes notes_;
};

}  // namespace drover
