// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "host/device/device_manager.h"
#include "host/plugin/registry_fixture.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

// A plugin with devices, in this process and in a process of its own: tests/fault_drivers/
// test_devices.c says what its devices do.
class PluginDevicesTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  void Load(const std::string& file) {
    isolation_ = GetParam();
    options_.limits.recover = 300ms;
    options_.limits.resubscribe_first = 10ms;
    options_.limits.relaunch_first = 10ms;
    LoadOne(file);
    manager_.emplace(&loop_, registry_->devices(), nullptr);
  }
  ~PluginDevicesTest() override { manager_.reset(); }

  const DeviceInstance* Find(const std::string& id) {
    groups_ = manager_->Groups();
    if (groups_.empty()) return nullptr;
    const auto found = std::ranges::find(groups_[0].instances, id, &DeviceInstance::id);
    return found == groups_[0].instances.end() ? nullptr : &*found;
  }
  bool IsHealthy(const std::string& id) {
    const DeviceInstance* const found = Find(id);
    return found != nullptr && found->healthy;
  }
  Result<DeviceReservation> Reserve(const std::string& id) {
    return Await(manager_->Reserve(context_, {{{"test", "thing", "simple"}, {id}}}));
  }

  std::optional<DeviceManager> manager_;
  DeviceGroups groups_;
};
INSTANTIATE_TEST_SUITE_P(Places, PluginDevicesTest, testing::Values("in-process", "process"),
                         PlaceName);

TEST_P(PluginDevicesTest, DevicesAreReportedReservedAndMeasured) {
  Load("offers_devices");
  ASSERT_TRUE(Until([&] { return Find("t0") != nullptr; }));
  EXPECT_EQ(groups_.size(), 1u);
  EXPECT_EQ(groups_[0].name.Text(), "test/thing/simple");
  EXPECT_EQ(groups_[0].attributes.at("memory"), (DeviceValue{std::int64_t{64}, "MiB"}));
  EXPECT_TRUE(IsHealthy("t0"));
  EXPECT_FALSE(IsHealthy("t1"));
  EXPECT_EQ(Find("t1")->health_description, "it is broken");
  const auto reserved = Reserve("t0");
  ASSERT_TRUE(reserved.ok()) << reserved.error().message();
  EXPECT_EQ(*reserved, (DeviceReservation{{{"THING", "t0"}},
                                          {{"/thing", "/usr/share", true, ""}},
                                          {{"/dev/thing", "/dev/zero", "rw"}}}));
  const DeviceStats stats = Await(manager_->Measure(context_));
  ASSERT_EQ(stats.size(), 1u);
  EXPECT_EQ(stats[0].instances.at(0).id, "t0");
  EXPECT_EQ(stats[0].instances[0].summary->value, (DeviceValue{std::int64_t{5}, "MiB"}));
}

TEST_P(PluginDevicesTest, AChangeOfHealthIsHeard) {
  Load("offers_devices");
  ASSERT_TRUE(Until([&] { return Find("t1") != nullptr; }));
  int changes = 0;
  const Subscription heard = manager_->OnChange([&] { ++changes; });
  EXPECT_TRUE(Reserve("t-changes").ok());
  EXPECT_TRUE(Until([&] { return IsHealthy("t1"); }));
  EXPECT_GE(changes, 1);
}

TEST_P(PluginDevicesTest, AStreamThatEndsIsOpenedAgain) {
  Load("offers_devices");
  ASSERT_TRUE(Until([&] { return IsHealthy("t0"); }));
  bool lost = false;
  const Subscription heard = manager_->OnChange([&] { lost |= !IsHealthy("t0"); });
  EXPECT_TRUE(Reserve("t-ends").ok());
  EXPECT_TRUE(Until([&] { return lost && IsHealthy("t0"); }));
}

TEST_P(PluginDevicesTest, AWrongOrMissingAnswerIsAnError) {
  Load("offers_devices");
  ASSERT_TRUE(Until([&] { return Find("t0") != nullptr; }));
  EXPECT_THAT(Reserve("t1").error().message(), HasSubstr("t1 is broken"));
  EXPECT_THAT(Reserve("t-bad").error().message(), HasSubstr("is no absolute path"));
  EXPECT_EQ(Reserve("t-never").code(), Code::kTimeout);
  // The plugin is late, so it is unhealthy, and so are its devices.
  EXPECT_FALSE(IsHealthy("t0"));
  EXPECT_THAT(Find("t0")->health_description, HasSubstr("plugin test is not healthy"));
}

TEST_P(PluginDevicesTest, AWrongListIsDropped) {
  Load("wrong_devices");
  EXPECT_TRUE(Until([&] { return log().find("the vendor") != std::string::npos; }));
  EXPECT_TRUE(manager_->Groups().empty());
}

TEST_P(PluginDevicesTest, APluginWithoutDevicesOffersNone) {
  Load("test");
  EXPECT_TRUE(manager_->Groups().empty());
  EXPECT_EQ(Reserve("t0").code(), Code::kUnavailable);
  EXPECT_TRUE(Await(manager_->Measure(context_)).empty());
}

TEST_P(PluginDevicesTest, DevicesAreUnhealthyWhileTheProcessOfThePluginIsGone) {
  if (GetParam() == std::string("in-process")) GTEST_SKIP() << "it would end this process";
  Load("offers_devices");
  ASSERT_TRUE(Until([&] { return IsHealthy("t0"); }));
  bool lost = false;
  const Subscription heard = manager_->OnChange([&] { lost |= !IsHealthy("t0"); });
  EXPECT_EQ(Reserve("t-crash").code(), Code::kUnavailable);
  EXPECT_TRUE(Until([&] { return lost && IsHealthy("t0"); }, 20s));
  EXPECT_TRUE(Reserve("t0").ok());
}

}  // namespace
}  // namespace drover
