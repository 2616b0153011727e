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

// All cgroups of a run: the one that tracks it, those that limit it and count what it uses, and
// those of the operator that it was given. Control thread.
class RunCgroups {
 public:
  // TRACKER is borrowed; null: runs are not tracked by cgroups. UNIT is the cgroup that systemd has
  // handed to us, or empty.
  RunCgroups(CgroupTracker* tracker, std::string unit)
      : tracker_(tracker), unit_(std::move(unit)) {}

  // Open until the shim has descriptors of its own.
  struct Made {
    void AddTo(StartEnvironment* environment) const;

    UniqueFd tracking;
    bool freezer = false;  // TRACKING is one of the freezer
    ResourceCgroups::Run limits;
    std::vector<GivenCgroup> given;
  };
  // Makes those that the run needs, which are durable steps, and opens those that it was given.
  // SPEC gets the file that tells when the run is out of memory. After an error nothing is left.
  Result<Made> Make(ProcessSpec* spec);
  // False: a process is still in one of them.
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
