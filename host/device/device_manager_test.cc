// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/device/device_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "host/base/await_for_test.h"
#include "host/base/event.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A plugin whose answers the test chooses.
class FakeSource : public DeviceSource {
 public:
  explicit FakeSource(std::string name) : name_(std::move(name)) {}
  const std::string& plugin() const override { return name_; }
  const DeviceGroups& devices() const override { return groups_; }
  Subscription OnDevices(std::function<void()> changed) override {
    return listeners_.Add(std::move(changed));
  }
  Co<Result<DeviceReservation>> Reserve(Context, AllocatedDevice device) override {
    asked.push_back(device);
    co_return answer;
  }
  Co<Status> FollowDeviceStats(Context context, Duration,
                               std::function<void(DeviceStats)> sink) override {
    ++measured;
    if (!stats) co_return Error(Code::kUnimplemented, "no statistics");
    if (!stats->empty()) sink(*stats);
    (void)co_await Sleep(context, std::chrono::hours(1));
    co_return context.status();
  }

  void Offer(DeviceGroups groups) {
    groups_ = std::move(groups);
    listeners_.Call();
  }

  std::vector<AllocatedDevice> asked;
  Result<DeviceReservation> answer = DeviceReservation();
  std::optional<DeviceStats> stats;  // empty: the stream brings no sample
  int measured = 0;                  // how often statistics were asked for

 private:
  const std::string name_;
  DeviceGroups groups_;
  ListenerList<> listeners_;
};

DeviceGroup Group(const std::string& type, const std::string& id) {
  return {{"linux", type, type}, {}, {{id, true}}};
}
AllocatedDevice Of(const std::string& type, const std::string& id) {
  return {{"linux", type, type}, {id}};
}

class DeviceManagerTest : public ::testing::Test {
 protected:
  DeviceManagerTest()
      : manager_(&loop_, {&first_, &second_},
                 [this](const std::string& report) { reports_.push_back(report); }) {
    first_.Offer({Group("kvm", "kvm")});
    second_.Offer({Group("loop", "loop0")});
  }

  Result<DeviceReservation> Reserve(std::vector<AllocatedDevice> devices) {
    return AwaitForTest(&loop_, manager_.Reserve(Context(&loop_), std::move(devices)));
  }
  DeviceStats Measure() { return AwaitForTest(&loop_, manager_.Measure(Context(&loop_))); }
  DeviceStats MeasureOnly(std::vector<AllocatedDevice> devices) {
    return AwaitForTest(&loop_, manager_.MeasureOnly(Context(&loop_), std::move(devices)));
  }

  SimLoop loop_;
  std::vector<std::string> reports_;
  FakeSource first_{"first"};
  FakeSource second_{"second"};
  DeviceManager manager_;
};

TEST_F(DeviceManagerTest, TheDevicesOfAllPluginsAreOneList) {
  EXPECT_THAT(manager_.Groups(), ElementsAre(Group("kvm", "kvm"), Group("loop", "loop0")));
  int changes = 0;
  const Subscription heard = manager_.OnChange([&] { ++changes; });
  second_.Offer({});
  EXPECT_EQ(changes, 1);
  EXPECT_THAT(manager_.Groups(), ElementsAre(Group("kvm", "kvm")));
  EXPECT_TRUE(reports_.empty());
}

TEST_F(DeviceManagerTest, AGroupBelongsToOnePluginOnly) {
  second_.Offer({Group("kvm", "other"), Group("loop", "loop0")});
  EXPECT_THAT(manager_.Groups(), ElementsAre(Group("kvm", "kvm"), Group("loop", "loop0")));
  (void)manager_.Groups();
  EXPECT_THAT(reports_, ElementsAre(HasSubstr("plugins first and second both offer")));
  ASSERT_TRUE(Reserve({Of("kvm", "kvm")}).ok());
  EXPECT_EQ(first_.asked.size(), 1u);
  EXPECT_TRUE(second_.asked.empty());
}

TEST_F(DeviceManagerTest, EachPluginReservesItsOwnDevices) {
  first_.answer->devices = {{"/dev/kvm", "/dev/kvm", "rw"}};
  second_.answer->env = {{"LOOP", "/dev/loop0"}};
  const auto reserved = Reserve({Of("loop", "loop0"), Of("kvm", "kvm")});
  ASSERT_TRUE(reserved.ok()) << reserved.error().message();
  EXPECT_EQ(reserved->devices, first_.answer->devices);
  EXPECT_EQ(reserved->env, second_.answer->env);
  EXPECT_THAT(first_.asked, ElementsAre(Of("kvm", "kvm")));
  EXPECT_THAT(second_.asked, ElementsAre(Of("loop", "loop0")));
}

TEST_F(DeviceManagerTest, ErrorsNameThePluginAndTheDevices) {
  const auto gone = Reserve({Of("gpu", "0")});
  EXPECT_EQ(gone.code(), Code::kUnavailable);
  EXPECT_TRUE(gone.error().recoverable());
  EXPECT_THAT(gone.error().message(), HasSubstr("linux/gpu/gpu"));
  second_.answer = Error(Code::kNotFound, "loop0 is in use");
  EXPECT_EQ(Reserve({Of("loop", "loop0")}).error().message(),
            "plugin second, devices linux/loop/loop: loop0 is in use");
  first_.answer->env = {{"A", "1"}};
  second_.answer = DeviceReservation{{{"A", "2"}}, {}, {}};
  EXPECT_THAT(Reserve({Of("kvm", "kvm"), Of("loop", "loop0")}).error().message(),
              HasSubstr("different values"));
}

TEST_F(DeviceManagerTest, APluginThatStartsIsAwaited) {
  const DeviceGroups groups = second_.devices();
  second_.Offer({});
  loop_.After(5s, [&] { second_.Offer(groups); });
  EXPECT_TRUE(Reserve({Of("loop", "loop0")}).ok());
}

TEST_F(DeviceManagerTest, StatisticsAreMeasuredWhenSomebodyAsks) {
  EXPECT_TRUE(Measure().empty());
  first_.stats = DeviceStats{{{"linux", "kvm", "kvm"}, {{"kvm", 1}}}};
  second_.stats = DeviceStats();  // never brings a sample
  const TimePoint began = loop_.Now();
  const DeviceStats stats = Measure();
  ASSERT_EQ(stats.size(), 1u);
  EXPECT_EQ(stats[0].instances[0].id, "kvm");
  EXPECT_GE(loop_.Now() - began, DeviceManager::kMeasureLimit);
}

TEST_F(DeviceManagerTest, OnlyThePluginsOfTheDevicesAreAsked) {
  first_.Offer({Group("kvm", "kvm"), Group("gpu", "0")});
  // The plugin also measures what is not its own, and one device twice.
  first_.stats = DeviceStats{{{"linux", "kvm", "kvm"}, {{"kvm", 1}, {"other", 2}, {"kvm", 3}}},
                             {{"linux", "gpu", "gpu"}, {{"0", 4}}},
                             {{"linux", "loop", "loop"}, {{"loop0", 5}}}};
  second_.stats = DeviceStats{{{"linux", "loop", "loop"}, {{"loop0", 6}}}};
  const DeviceStats stats = MeasureOnly({Of("kvm", "kvm"), Of("gpu", "1"), Of("gone", "x")});
  ASSERT_EQ(stats.size(), 1u);
  ASSERT_EQ(stats[0].instances.size(), 1u);
  EXPECT_EQ(stats[0].instances[0].timestamp, 1);
  EXPECT_EQ(first_.measured, 1);
  EXPECT_EQ(second_.measured, 0);
  EXPECT_TRUE(MeasureOnly({Of("gone", "x")}).empty());
  EXPECT_EQ(first_.measured, 1);
}

}  // namespace
}  // namespace drover
