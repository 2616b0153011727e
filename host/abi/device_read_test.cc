// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/device_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "host/abi/abi_write.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

drover_device_value Value(std::int32_t kind, const char* name) {
  auto value = NewStruct<drover_device_value>();
  value.kind = kind;
  value.name = ToStr(name);
  return value;
}

// The devices of a plugin, with one group and one device in it.
struct Offered {
  Offered() {
    values = {Value(DROVER_VALUE_TEXT, "model"), Value(DROVER_VALUE_INTEGER, "memory"),
              Value(DROVER_VALUE_NUMBER, "clock"), Value(DROVER_VALUE_BOOLEAN, "fast")};
    values[0].text = ToStr("x");
    values[1].integer = 11264;
    values[1].unit = ToStr("MiB");
    values[2].number = 1.5;
    values[2].unit = ToStr("GHz");
    values[3].integer = 7;
    instance = NewStruct<drover_device_instance>();
    instance.health = DROVER_HEALTHY;
    instance.id = ToStr("0");
    instance.health_description = ToStr("fine");
    instance.pci_bus_id = ToStr("0000:01:00.0");
    group = NewStruct<drover_device_group>();
    group.vendor = ToStr("nvidia");
    group.type = ToStr("gpu");
    group.name = ToStr("1080ti");
    message = NewStruct<drover_devices>();
    message.type = DROVER_MESSAGE_DEVICES;
  }
  Result<DeviceGroups> Read() {
    group.attributes = ToArray(values);
    group.instances = {&instance, 1, sizeof instance};
    message.groups = {&group, 1, sizeof group};
    return ReadDevices(&message);
  }
  std::string Mistake() {
    const auto read = Read();
    return read.ok() ? "" : read.error().message();
  }

  std::vector<drover_device_value> values;
  drover_device_instance instance;
  drover_device_group group;
  drover_devices message;
};

TEST(DeviceReadTest, EachMemberIsRead) {
  Offered offered;
  const Result<DeviceGroups> read = offered.Read();
  ASSERT_TRUE(read.ok()) << read.error().message();
  DeviceGroup wanted{{"nvidia", "gpu", "1080ti"}};
  wanted.attributes = {{"model", {std::string("x")}},
                       {"memory", {std::int64_t{11264}, "MiB"}},
                       {"clock", {1.5, "GHz"}},
                       {"fast", {true}}};
  wanted.instances = {{"0", true, "fine", "0000:01:00.0"}};
  EXPECT_EQ(*read, DeviceGroups{wanted});
}

TEST(DeviceReadTest, WhatIsWrongIsAnError) {
  Offered offered;
  offered.values[0].kind = 9;
  EXPECT_THAT(offered.Mistake(), HasSubstr("unknown kind 9"));
  offered = Offered();
  offered.values[2].number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(offered.Mistake(), HasSubstr("not finite"));
  offered = Offered();
  offered.instance.id = {};
  EXPECT_THAT(offered.Mistake(), HasSubstr("the id"));
  offered = Offered();
  offered.instance.struct_size = 0;
  EXPECT_THAT(offered.Mistake(), HasSubstr("struct_size"));
  offered = Offered();
  offered.group.vendor = {nullptr, 5};
  EXPECT_THAT(offered.Mistake(), HasSubstr("has no data"));
  EXPECT_FALSE(ReadDevices(nullptr).ok());
  offered = Offered();
  offered.instance.health = DROVER_UNHEALTHY;
  EXPECT_FALSE(offered.Read().value()[0].instances[0].healthy);
}

TEST(DeviceReadTest, AReservationIsReadAndChecked) {
  const drover_pair variable = {ToStr("KVM"), ToStr("1")};
  auto mount = NewStruct<drover_mount>();
  mount.task_path = ToStr("/firmware");
  mount.host_path = ToStr("/usr/share/firmware");
  mount.read_only = 1;
  auto node = NewStruct<drover_device>();
  node.task_path = node.host_path = ToStr("/dev/kvm");
  node.permissions = ToStr("rw");
  auto result = NewStruct<drover_reserve_result>();
  result.env = {&variable, 1, sizeof variable};
  result.mounts = {&mount, 1, sizeof mount};
  result.devices = {&node, 1, sizeof node};
  const Result<DeviceReservation> read = ReadReservation(&result);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, (DeviceReservation{{{"KVM", "1"}},
                                      {{"/firmware", "/usr/share/firmware", true, ""}},
                                      {{"/dev/kvm", "/dev/kvm", "rw"}}}));
  node.host_path = ToStr("kvm");
  EXPECT_FALSE(ReadReservation(&result).ok());
}

TEST(DeviceReadTest, StatisticsAreRead) {
  auto value = Value(DROVER_VALUE_INTEGER, "used");
  value.integer = 5;
  value.description = ToStr("bytes in use");
  auto instance = NewStruct<drover_device_instance_stats>();
  instance.id = ToStr("0");
  instance.timestamp = 7;
  instance.summary = &value;
  instance.values = {&value, 1, sizeof value};
  auto group = NewStruct<drover_device_group_stats>();
  group.vendor = ToStr("nvidia");
  group.type = ToStr("gpu");
  group.name = ToStr("1080ti");
  group.instances = {&instance, 1, sizeof instance};
  auto message = NewStruct<drover_device_stats>();
  message.type = DROVER_MESSAGE_DEVICE_STATS;
  message.groups = {&group, 1, sizeof group};
  const Result<DeviceStats> read = ReadDeviceStats(&message);
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->at(0).instances.size(), 1u);
  const DeviceInstanceStats& got = read->at(0).instances[0];
  const DeviceStat used = {"used", {std::int64_t{5}}, "bytes in use"};
  EXPECT_EQ(got.id, "0");
  EXPECT_EQ(got.timestamp, 7);
  EXPECT_EQ(got.summary, used);
  EXPECT_EQ(got.values, std::vector<DeviceStat>{used});
}

}  // namespace
}  // namespace drover
