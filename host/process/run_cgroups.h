// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/given_cgroups.h"
#include "host/process/place/run_places.h"
#include "host/process/process_spec.h"
#include "host/process/resource_cgroups.h"
#include "host/process/run_usage.h"
#include "host/process/start_message.h"

namespace drover {

// Makes and removes all cgroups of a run. These are the cgroup that tracks the run and the cgroups
// that limit it and count its usage. The class also opens the operator's cgroups that the job
// names. Control thread only.
class RunCgroups {
 public:
  // TRACKER is borrowed. It is null if runs are not tracked by cgroups. UNIT is the cgroup that
  // systemd has delegated to the agent, or empty. NOTES is the borrowed run directory.
  RunCgroups(CgroupTracker* tracker, std::string unit, int notes)
      : tracker_(tracker), unit_(std::move(unit)), notes_(notes) {}

  // The open cgroups of a run. They must stay open until the shim has its own copies of the
  // descriptors.
  struct Made {
    void AddTo(StartEnvironment* environment) const;

    UniqueFd tracking;
    bool freezer = false;  // TRACKING is a cgroup of the freezer
    ResourceCgroups::Run limits;
    std::vector<GivenCgroup> given;
  };
  // Makes the cgroups that the run needs, in durable steps, and opens the operator's cgroups. Sets
  // SPEC->memory_events, a file that counts the kills for lack of memory. After an error no cgroup
  // of the run is left.
  Result<Made> Make(ProcessSpec* spec);
  // Does the same for a process that shares the cgroups of a run with others. The run is
  // SPEC->group, or else SPEC->run. Makes the cgroups of the run only if it has none. A process
  // with a SPEC->group gets a tracking cgroup of its own below that of the run.
  Result<Made> MakeShared(ProcessSpec* spec);
  // Removes the run's own cgroups and its place. Returns false if a process is still in one of
  // them.
  bool Remove(const RunId& run);
  // Kills all processes in the tracking cgroup and in the place of the run.
  void Kill(const RunId& run);
  // The places of runs whose processes an engine starts.
  RunPlaces& places();

  RunUsage OpenUsage(const RunId& run);

 private:
  bool freezer() const { return tracker_ != nullptr && tracker_->is_freezer(); }
  bool unified() const { return tracker_ != nullptr && !tracker_->is_freezer(); }
  ResourceCgroups& resources();
  Result<std::vector<GivenCgroup>> OpenGiven(const ProcessSpec& spec) const;
  Result<UniqueFd> Track(const RunId& run, const std::string& given);
  Status Limit(ProcessSpec* spec, Made* made);
  void CountTime(const RunId& run, Made* made);

  CgroupTracker* const tracker_;
  const std::string unit_;
  const int notes_;
  std::unique_ptr<RunPlaces> places_;
  std::unique_ptr<ResourceCgroups> resources_;
};

}  // namespace drover
