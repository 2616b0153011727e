// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/schedule.h"

#include <gtest/gtest.h>

#include "host/base/cpu_timer_for_test.h"
#include "host/periodic/tzif_for_test.h"

namespace drover {
namespace {

const WallTime kNow = Utc(2026, 11, 28, 10, 30);

Job PeriodicJob(std::vector<std::string> specs, const std::string& zone = "UTC") {
  Job job;
  job.id = "p";
  job.type = JobType::kBatch;
  job.periodic.emplace();
  job.periodic->specs = std::move(specs);
  job.periodic->time_zone = zone;
  return job;
}

std::vector<JobFault> FaultsOf(const Job& job) {
  JobFaults faults;
  CheckSchedule(job, "/Job", kNow, &faults);
  return faults.Take();
}

TEST(ScheduleTest, TheEarliestOfAllExpressionsCounts) {
  const Job job = PeriodicJob({"0 12 * * *", "0 11 * * *", "0 0 30 2 *"});
  const auto schedule = Schedule::Of(*job.periodic);
  ASSERT_TRUE(schedule.ok());
  EXPECT_EQ(schedule->Next(kNow), Utc(2026, 11, 28, 11));
  EXPECT_EQ(schedule->Next(Utc(2026, 11, 28, 11)), Utc(2026, 11, 28, 12));
  EXPECT_EQ(Schedule::Of({})->Next(kNow), std::nullopt);
}

TEST(ScheduleTest, EachMistakeIsAtItsPlace) {
  EXPECT_TRUE(FaultsOf(PeriodicJob({"@daily", "5 4 * * *"})).empty());
  EXPECT_TRUE(FaultsOf(Job()).empty()) << "not periodic";
  const std::vector<JobFault> faults =
      FaultsOf(PeriodicJob({"@daily", "61 * * * *", "0 0 30 2 *"}));
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].pointer, "/Job/Periodic/Specs/1");
  EXPECT_EQ(faults[1].pointer, "/Job/Periodic/Specs/2");
  EXPECT_EQ(faults[1].message,
            "\"0 0 30 2 *\" names no time before the year 2100, so nothing would ever start");
  Job one = PeriodicJob({"61 * * * *"}, "Nowhere/At_All");
  one.periodic->one_spec = true;
  const std::vector<JobFault> both = FaultsOf(one);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].pointer, "/Job/Periodic/TimeZone");
  EXPECT_EQ(both[1].pointer, "/Job/Periodic/Spec");
}

TEST(ScheduleTest, WhatIsDisabledOrWaitsForADispatchLaunchesNothing) {
  Job job = PeriodicJob({"@hourly"});
  EXPECT_EQ(NextLaunch(job, kNow), Utc(2026, 11, 28, 11));
  job.periodic->enabled = false;
  EXPECT_EQ(NextLaunch(job, kNow), std::nullopt);
  job.periodic->enabled = true;
  job.parameterized.emplace();
  EXPECT_EQ(NextLaunch(job, kNow), std::nullopt);
  job.dispatched = true;
  EXPECT_EQ(NextLaunch(job, kNow), Utc(2026, 11, 28, 11));
  EXPECT_EQ(NextLaunch(Job(), kNow), std::nullopt);
}

// A thousand jobs are parsed anew at each launch.
TEST(ScheduleTest, ALaunchCostsLittle) {
  const Job job = PeriodicJob({"*/5 1-20 * * mon-fri", "0 0 L * *"});
  const double took = LeastOf([&job] {
    const CpuTimer timer;
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(NextLaunch(job, kNow + i).has_value());
    return timer.Seconds();
  });
  EXPECT_LT(took, 0.2 * kSanitizerFactor);
}

}  // namespace
}  // namespace drover
