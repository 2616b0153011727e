// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/given_cgroups.h"
#include "host/process/process_spec.h"
#include "host/process/resource_cgroups.h"
#include "host/process/run_usage.h"
#include "host/process/start_message.h"

namespace drover {

// All cgroups of a run: the cgroup that tracks it, the cgroups that limit it and count its usage,
// and the operator's cgroups that its job names. Control thread.
class RunCgroups {
 public:
  // TRACKER is borrowed; null: runs are not tracked by cgroups. UNIT is the cgroup that systemd has
  // delegated to us, or empty.
  RunCgroups(CgroupTracker* tracker, std::string unit)
      : tracker_(tracker), unit_(std::move(unit)) {}

  // The opened cgroups. They must stay open until the shim has descriptors of its own.
  struct Made {
    void AddTo(StartEnvironment* environment) const;

    UniqueFd tracking;
    bool freezer = false;  // TRACKING is a cgroup of the freezer
    ResourceCgroups::Run limits;
    std::vector<GivenCgroup> given;
  };
  // Makes the cgroups that the run needs, in durable steps, and opens the operator's. Sets the
  // memory_events of SPEC, which count the kills for memory. After an error nothing is left.
  Result<Made> Make(ProcessSpec* spec);
  // Removes the run's own cgroups. False: a process is still in one of them.
  bool Remove(const RunId& run);

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
  std::unique_ptr<ResourceCgroups> resources_;
};

}  // namespace drover
