// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/periodic/cron.h"
#include "host/spec/job.h"
#include "host/spec/job_faults.h"
#include "host/state/tables.h"

namespace drover {

// The schedule of a periodic job.
class Schedule {
 public:
  // Fails as Cron::Parse and TimeZone::Find.
  static Result<Schedule> Of(const PeriodicPolicy& policy);
  // Returns the earliest time of all expressions after AFTER; absent if there is none.
  std::optional<WallTime> Next(WallTime after) const;

 private:
  std::vector<Cron> crons_;
  std::shared_ptr<const TimeZone> zone_;
};

// Adds a fault for each expression and zone of JOB, whose pointer is POINTER, that is wrong, and
// for an expression that names no time after NOW. The first call for a zone reads a file, so call
// this where that may block.
void CheckSchedule(const Job& job, const std::string& pointer, WallTime now, JobFaults* faults);

// Returns the next launch of JOB after NOW; absent if it launches nothing by itself, or never
// again.
std::optional<WallTime> NextLaunch(const Job& job, WallTime now);

// Returns whether JOB launches children by itself, unless it is stopped.
inline bool LaunchesByItself(const Job& job) {
  return job.periodic && job.periodic->enabled && (!job.parameterized || job.dispatched);
}

// Reads the time zones of all jobs that launch children by themselves, so that later calls do not
// wait for a disk. Blocks.
void ReadZones(const Tables& tables);

}  // namespace drover
