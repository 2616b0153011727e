// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/placement/device_use.h"
#include "host/scheduler/scheduler_fixture.h"
#include "host/state/record_json.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class SchedulerDevicesTest : public SchedulerFixture {
 protected:
  SchedulerDevicesTest() { RegisterNode({"loop0", "loop1"}); }

  void RegisterNode(std::vector<std::string> ids) {
    NodeRecord node;
    node.id = "node";
    node.cpu_mhz = node.memory_mb = 100'000;
    node.disk_mb = 1'000'000;
    if (!ids.empty()) {
      DeviceGroup group{{"linux", "loop", "loop"}};
      for (std::string& id : ids) group.instances.push_back({std::move(id), true});
      node.devices = {group};
    }
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  }
  std::string Run(const std::string& id, int count, std::int64_t devices,
                  const std::string& name = "loop", int memory_mb = 100) {
    JobRegistration registration = Registration(id, count, memory_mb);
    auto job = std::make_shared<Job>(*registration.job);
    job->groups[0].tasks[0].devices = {{name, devices, {}, {}}};
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
    registration.job = std::move(job);
    return MustRegister(std::move(registration)).eval_id;
  }
  // The ids of the devices of all live allocations, in ascending order.
  std::vector<std::string> Ids() const {
    std::vector<std::string> ids;
    for (const auto& record : Live()) {
      for (const auto& [task, devices] : record->alloc->devices) {
        for (const AllocatedDevice& device : devices) {
          ids.insert(ids.end(), device.ids.begin(), device.ids.end());
        }
      }
    }
    std::ranges::sort(ids);
    return ids;
  }
  PlacementFailure Failure(const std::string& eval_id) const {
    const auto& failed = Eval(eval_id)->failed_groups;
    return failed.empty() ? PlacementFailure() : failed.at("g");
  }
};

TEST_F(SchedulerDevicesTest, EachAllocationHasItsOwn) {
  const std::string eval = Run("mount", 3, 1);
  EXPECT_THAT(Ids(), ElementsAre("loop0", "loop1"));
  EXPECT_THAT(Failure(eval).dimension_exhausted, ElementsAre(Pair(kDevicesInUse, 1)));
  const auto live = Live();
  ASSERT_EQ(live.size(), 2u);
  EXPECT_EQ(live[0]->alloc->devices.at("t").at(0).group.Text(), "linux/loop/loop");
  // The third waits for one that has ended, and has its device.
  const std::string freed = live[0]->alloc->devices.at("t").at(0).ids.at(0);
  Report(live[0]->id(), ClientStatus::kFailed);
  EXPECT_THAT(Ids(), ElementsAre("loop0", "loop1"));
  EXPECT_EQ(Live().size(), 2u);
}

TEST_F(SchedulerDevicesTest, ADeviceIsFreeWhenItsAllocationHasEndedAndNotBefore) {
  Run("first", 1, 2);
  ASSERT_TRUE(scheduler.Deregister({"default", "first"}, false, false).ok());
  Run("second", 1, 2);
  EXPECT_THAT(Ids(), ElementsAre()) << "the first still uses them";
  Report(Allocs().at(0)->id(), ClientStatus::kComplete);
  EXPECT_THAT(Ids(), ElementsAre("loop0", "loop1"));
}

TEST_F(SchedulerDevicesTest, AFailedAllocationHasItsDevicesUntilItsLastTaskEnds) {
  Run("first", 1, 2);
  const std::string first = Live().at(0)->id();
  ReportFailure(first, RunnerState::kRunning);
  EXPECT_THAT(Failure(Run("second", 1, 2)).dimension_exhausted,
              ElementsAre(Pair(kDevicesInUse, 1)));
  Run("first", 1, 2, "loop", 101);
  EXPECT_THAT(Ids(), ElementsAre());
  ReportFailure(first, RunnerState::kDead);
  EXPECT_THAT(Ids(), ElementsAre("loop0", "loop1"));
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->job->id, "second") << "it has waited longer";
}

TEST_F(SchedulerDevicesTest, WithoutSuchDevicesTheNodeIsFiltered) {
  EXPECT_THAT(Failure(Run("gpu", 1, 1, "gpu")).constraint_filtered,
              ElementsAre(Pair(kNoDevices, 1)));
  EXPECT_THAT(Failure(Run("many", 1, 3)).constraint_filtered, ElementsAre(Pair(kNoDevices, 1)));
  RegisterNode({"loop0", "loop1", "loop2"});
  EXPECT_THAT(Ids(), ElementsAre("loop0", "loop1", "loop2")) << "a plugin has reported one more";
}

TEST_F(SchedulerDevicesTest, AnAllocationKeepsADeviceThatIsGone) {
  Run("mount", 1, 1);
  RegisterNode({});
  EXPECT_THAT(Ids(), ElementsAre("loop0"));
  RegisterNode({"loop0"});
  EXPECT_THAT(Failure(Run("other", 1, 1)).dimension_exhausted, ElementsAre(Pair(kDevicesInUse, 1)));
}

TEST_F(SchedulerDevicesTest, ANewVersionWaitsForTheDevicesOfTheOldOne) {
  Run("mount", 1, 2);
  const std::string old = Live().at(0)->id();
  Run("mount", 1, 2, "loop", 101);
  EXPECT_EQ(Alloc(old)->alloc->desired_status, DesiredStatus::kStop);
  EXPECT_THAT(Ids(), ElementsAre()) << "the old one still uses them";
  Report(old, ClientStatus::kComplete);
  EXPECT_THAT(Ids(), ElementsAre("loop0", "loop1"));
}

TEST_F(SchedulerDevicesTest, TheDevicesOfAnAllocationAreStored) {
  Run("mount", 1, 2);
  const auto record = Live().at(0);
  SeenJobs seen;
  const Result<AllocRecord> again = DecodePlaced(EncodePlaced(*record), &seen);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->alloc->devices, record->alloc->devices);
  EXPECT_EQ(again->alloc->devices.at("t").at(0).ids, (std::vector<std::string>{"loop0", "loop1"}));
}

}  // namespace
}  // namespace drover
