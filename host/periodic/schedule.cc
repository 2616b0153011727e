// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/schedule.h"

#include <utility>

#include "host/spec/job_place.h"

namespace drover {
namespace {

// Returns ERROR, which is about the time zone of POLICY, with its name.
Error WithZone(const PeriodicPolicy& policy, const Error& error) {
  return Error(error.code(), Quoted(policy.time_zone) + " " + error.message());
}

}  // namespace

Result<Schedule> Schedule::Of(const PeriodicPolicy& policy) {
  Schedule schedule;
  for (const std::string& spec : policy.specs) {
    DROVER_ASSIGN(Cron cron, Cron::Parse(spec));
    schedule.crons_.push_back(std::move(cron));
  }
  auto zone = TimeZone::Find(policy.time_zone);
  if (!zone.ok()) return WithZone(policy, zone.error());
  schedule.zone_ = std::move(*zone);
  return schedule;
}

std::optional<WallTime> Schedule::Next(WallTime after) const {
  std::optional<WallTime> earliest;
  for (const Cron& cron : crons_) {
    const std::optional<WallTime> next = cron.Next(after, *zone_);
    if (next && (!earliest || *next < *earliest)) earliest = next;
  }
  return earliest;
}

void CheckSchedule(const Job& job, const std::string& pointer, WallTime now, JobFaults* faults) {
  if (!job.periodic) return;
  const PeriodicPolicy& policy = *job.periodic;
  const JobPlace at = JobPlace(pointer, faults) / "Periodic";
  const auto zone = TimeZone::Find(policy.time_zone);
  if (!zone.ok()) (at / "TimeZone").Fault(WithZone(policy, zone.error()).message());
  for (std::size_t i = 0; i < policy.specs.size(); ++i) {
    const JobPlace place = policy.one_spec ? at / "Spec" : at / "Specs" / i;
    const Result<Cron> cron = Cron::Parse(policy.specs[i]);
    if (!cron.ok()) {
      place.Fault(cron.error().message());
    } else if (policy.enabled && zone.ok() && !cron->Next(now, **zone)) {
      place.Fault(Quoted(policy.specs[i]) +
                  " names no time before the year 2100, so nothing would ever start");
    }
  }
}

std::optional<WallTime> NextLaunch(const Job& job, WallTime now) {
  if (!LaunchesByItself(job)) return std::nullopt;
  const Result<Schedule> schedule = Schedule::Of(*job.periodic);
  return schedule.ok() ? schedule->Next(now) : std::nullopt;
}

void ReadZones(const Tables& tables) {
  for (const auto& [key, launch] : tables.launches) {
    const auto job = Tables::Find(tables.jobs, KeyOf(*launch));
    if (job != nullptr && job->job->periodic) (void)TimeZone::Find(job->job->periodic->time_zone);
  }
}

}  // namespace drover
