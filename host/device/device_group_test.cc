// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/device/device_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using ::testing::HasSubstr;

DeviceGroup Group(std::vector<std::string> ids) {
  DeviceGroup group{{"linux", "loop", "loop"}};
  for (std::string& id : ids) group.instances.push_back({std::move(id), true});
  return group;
}

std::string MistakeIn(const DeviceGroups& groups) {
  const Status checked = CheckDeviceGroups(groups);
  return checked.ok() ? "" : checked.error().message();
}

TEST(DeviceGroupTest, WhatAPluginReportsIsChecked) {
  EXPECT_EQ(MistakeIn({}), "");
  EXPECT_EQ(MistakeIn({Group({"loop0", "loop1"})}), "");
  EXPECT_EQ(MistakeIn({Group({"loop0"}), Group({"loop1"})}),
            "its devices: the group \"linux/loop/loop\" is there twice");
  EXPECT_THAT(MistakeIn({Group({"loop0", "loop0"})}), HasSubstr("\"loop0\" is twice in the group"));
  EXPECT_THAT(MistakeIn({Group({"a,b"})}), HasSubstr("holds a comma"));
  for (const char* id : {"", "a b", "a\n", "\x7f"}) {
    EXPECT_THAT(MistakeIn({Group({id})}), HasSubstr("without spaces")) << id;
  }
  EXPECT_THAT(MistakeIn({Group({std::string(129, 'x')})}), HasSubstr("1 to 128 bytes"));
  DeviceGroup group = Group({"loop0"});
  group.name.vendor = "a/b";
  EXPECT_THAT(MistakeIn({group}), HasSubstr("the vendor \"a/b\" holds a slash"));
  group = Group({"loop0"});
  group.name.name = "a/b";
  EXPECT_EQ(MistakeIn({group}), "");
  group.name.name = "a/";
  EXPECT_THAT(MistakeIn({group}), HasSubstr("ends with a slash"));
  group = Group({"loop0"});
  group.attributes["an attribute"] = {true};
  EXPECT_THAT(MistakeIn({group}), HasSubstr("the attribute \"an attribute\""));
}

TEST(DeviceGroupTest, APluginCannotReportWithoutEnd) {
  std::vector<std::string> ids;
  for (int i = 0; i < 4097; ++i) ids.push_back(std::to_string(i));
  EXPECT_THAT(MistakeIn({Group(ids)}), HasSubstr("more than 4096"));
  DeviceGroups groups;
  for (int i = 0; i < 257; ++i) groups.push_back({{"linux", "loop", std::to_string(i)}});
  EXPECT_THAT(MistakeIn(groups), HasSubstr("more than 256 groups"));
  DeviceGroup group = Group({"loop0"});
  for (int i = 0; i < 257; ++i) group.attributes[std::to_string(i)] = {true};
  EXPECT_THAT(MistakeIn({group}), HasSubstr("more than 256 attributes"));
  DeviceStats stats = {{{"linux", "loop", "loop"}, {{"loop0", 1}}}};
  EXPECT_TRUE(CheckDeviceStats(stats).ok());
  stats[0].instances[0].values.resize(257);
  EXPECT_THAT(CheckDeviceStats(stats).error().message(), HasSubstr("more than 256 statistics"));
}

TEST(DeviceGroupTest, AllDevicesOfABrokenPluginAreUnhealthy) {
  DeviceGroups groups = {Group({"loop0", "loop1"})};
  MarkUnhealthy("its plugin has ended", &groups);
  for (const DeviceInstance& instance : groups[0].instances) {
    EXPECT_FALSE(instance.healthy);
    EXPECT_EQ(instance.health_description, "its plugin has ended");
  }
}

}  // namespace
}  // namespace drover
