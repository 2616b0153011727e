// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/device_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/placement/constraint.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

DeviceGroup Gpu(const std::string& vendor, const std::string& model, std::int64_t memory_mib,
                std::vector<std::string> ids) {
  DeviceGroup group{{vendor, "gpu", model}};
  group.attributes = {{"memory", {memory_mib, "MiB"}},
                      {"driver_version", {std::string("535.104.05")}},
                      {"display", {true}},
                      {"modes", {std::string("a, b")}}};
  for (std::string& id : ids) group.instances.push_back({std::move(id), true});
  return group;
}

DeviceRequest Wanted(const std::string& name, std::int64_t count = 1) {
  return {name, count, {}, {}};
}

bool Meets(const char* left, const char* operand, const char* right) {
  return MeetsDevice(Gpu("nvidia", "1080ti", 11264, {"x", "y"}), {left, operand, right});
}

TEST(DeviceFitTest, EachOperandAsksTheDevice) {
  const struct {
    const char* left;
    const char* operand;
    const char* right;
    bool met;
  } rows[] = {
      {"${device.vendor}", "=", "nvidia", true},
      {"${device.vendor}", "!=", "nvidia", false},
      {"${device.type}", "is", "gpu", true},
      {"${device.model}", "==", "1080ti", true},
      {"${device.ids}", "set_contains", "y", true},
      {"${device.ids}", "set_contains", "z", false},
      {"${device.attr.memory}", ">=", "11 GiB", true},
      {"${device.attr.memory}", ">", "11 GiB", false},
      {"${device.attr.memory}", "<", "12 GB", true},
      {"11 GiB", "<=", "${device.attr.memory}", true},
      {"${device.attr.memory}", ">", "1", false},  // a number without a unit
      {"${device.attr.memory}", "!=", "1", true},
      {"${device.attr.memory}", "regexp", "^112.. MiB$", true},
      {"${device.attr.driver_version}", "version", ">= 530", true},
      {"${device.attr.driver_version}", "version", ">= 540", false},
      {"${device.attr.display}", "=", "true", true},
      {"${device.attr.display}", "=", "false", false},
      {"${device.attr.modes}", "set_contains_any", "b,c", true},
      {"${device.attr.none}", "is_set", "", false},
      {"${device.attr.none}", "is_not_set", "", true},
      {"${device.attr.none}", "=", "${device.attr.none}", false},
      {"${device.attr.none}", "!=", "x", true},
      {"${device.attr.none}", "!=", "${device.attr.none}", false},
      {"${attr.kernel.name}", "is_set", "", false},
      {"${device.none}", "is_set", "", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Meets(row.left, row.operand, row.right), row.met)
        << row.left << " " << row.operand << " " << row.right;
  }
}

TEST(DeviceFitTest, AModelThatLooksLikeANumberIsAText) {
  const DeviceGroup group = Gpu("nvidia", "1080", 1, {"x"});
  EXPECT_TRUE(MeetsDevice(group, {"${device.model}", "=", "1080"}));
  EXPECT_FALSE(MeetsDevice(group, {"${device.model}", "=", "1081"}));
  EXPECT_TRUE(MeetsDevice(group, {"${device.model}", "!=", "1081"}));
}

TEST(DeviceFitTest, AffinitiesAreWeighed) {
  const DeviceGroup group = Gpu("nvidia", "1080ti", 11264, {"x"});
  DeviceRequest request = Wanted("gpu");
  EXPECT_EQ(AffinityOf(group, request), 0);
  request.affinities = {{"${device.vendor}", "=", "nvidia", 50}};
  EXPECT_EQ(AffinityOf(group, request), 1);
  request.affinities.push_back({"${device.vendor}", "=", "amd", 50});
  EXPECT_EQ(AffinityOf(group, request), 0.5);
  request.affinities = {{"${device.vendor}", "=", "nvidia", -10}};
  EXPECT_EQ(AffinityOf(group, request), -1);
}

class ChooseDevicesTest : public ::testing::Test {
 protected:
  // Returns what is chosen for a task with REQUESTS, as texts "vendor/type/name: ids".
  std::vector<std::string> Choose(std::vector<DeviceRequest> requests) {
    TaskGroup group;
    Task task;
    task.name = "t";
    task.devices = std::move(requests);
    group.tasks = {task};
    EXPECT_EQ(WantsDevices(group), !task.devices.empty());
    const auto chosen = ChooseDevices(
        groups_, group,
        [this](const DeviceName&, const std::string& id) { return !used_.contains(id); });
    if (!chosen) return {"none"};
    std::vector<std::string> texts;
    for (const auto& [name, devices] : *chosen) {
      EXPECT_EQ(name, "t");
      for (const AllocatedDevice& device : devices) {
        std::string text = device.group.Text() + ":";
        for (const std::string& id : device.ids) text += " " + id;
        texts.push_back(std::move(text));
      }
    }
    return texts;
  }
  using Texts = std::vector<std::string>;

  DeviceGroups groups_ = {Gpu("nvidia", "small", 4096, {"n0", "n1"}),
                          Gpu("nvidia", "big", 16384, {"b0"}),
                          Gpu("amd", "other", 8192, {"a0", "a1", "a2"})};
  std::set<std::string> used_;
};

TEST_F(ChooseDevicesTest, TheFirstGroupWithEnoughIsChosen) {
  EXPECT_EQ(Choose({}), Texts());
  EXPECT_EQ(Choose({Wanted("gpu")}), Texts{"nvidia/gpu/small: n0"});
  EXPECT_EQ(Choose({Wanted("gpu", 3)}), Texts{"amd/gpu/other: a0 a1 a2"});
  EXPECT_EQ(Choose({Wanted("gpu", 4)}), Texts{"none"});
  EXPECT_EQ(Choose({Wanted("nvidia/gpu", 3)}), Texts{"none"})
      << "all of a request are of one group";
  EXPECT_EQ(Choose({Wanted("nvidia/gpu/big")}), Texts{"nvidia/gpu/big: b0"});
  EXPECT_EQ(Choose({Wanted("tpu")}), Texts{"none"});
}

TEST_F(ChooseDevicesTest, NoDeviceIsGivenTwice) {
  EXPECT_EQ(Choose({Wanted("nvidia/gpu"), Wanted("nvidia/gpu")}), Texts{"nvidia/gpu/small: n0 n1"});
  EXPECT_EQ(Choose({Wanted("nvidia/gpu", 2), Wanted("nvidia/gpu")}),
            (Texts{"nvidia/gpu/small: n0 n1", "nvidia/gpu/big: b0"}));
  used_ = {"n0"};
  EXPECT_EQ(Choose({Wanted("nvidia/gpu")}), Texts{"nvidia/gpu/small: n1"});
  EXPECT_EQ(Choose({Wanted("nvidia/gpu/small", 2)}), Texts{"none"});
}

TEST_F(ChooseDevicesTest, UnhealthyDevicesAreNotGiven) {
  groups_[0].instances[0].healthy = false;
  EXPECT_EQ(Choose({Wanted("nvidia/gpu/small")}), Texts{"nvidia/gpu/small: n1"});
  EXPECT_EQ(Choose({Wanted("nvidia/gpu/small", 2)}), Texts{"none"});
}

TEST_F(ChooseDevicesTest, ConstraintsExcludeAndAffinitiesPrefer) {
  EXPECT_EQ(Choose({{"gpu", 1, {{"${device.attr.memory}", ">=", "6 GiB"}}, {}}}),
            Texts{"nvidia/gpu/big: b0"});
  EXPECT_EQ(Choose({{"gpu", 1, {{"${device.attr.memory}", ">=", "32 GiB"}}, {}}}), Texts{"none"});
  EXPECT_EQ(Choose({{"gpu", 1, {}, {{"${device.vendor}", "=", "amd", 20}}}}),
            Texts{"amd/gpu/other: a0"});
  EXPECT_EQ(Choose({{"gpu", 1, {}, {{"${device.model}", "=", "small", -20}}}}),
            Texts{"nvidia/gpu/big: b0"});
  used_ = {"a0", "a1", "a2"};
  EXPECT_EQ(Choose({{"gpu", 1, {}, {{"${device.vendor}", "=", "amd", 20}}}}),
            Texts{"nvidia/gpu/small: n0"})
      << "a wish is no condition";
}

TEST(DeviceFitTest, PatternsAndVersionsAreCheckedAtTheSubmit) {
  Job job;
  job.groups.resize(1);
  job.groups[0].tasks.resize(1);
  job.groups[0].tasks[0].devices = {
      {"gpu", 1, {{"${device.model}", "regexp", "("}}, {{"${device.model}", "version", "x", 1}}}};
  const Status checked = CheckConstraints(job, "/Job");
  EXPECT_THAT(checked.error().message(),
              HasSubstr("/Job/TaskGroups/0/Tasks/0/Resources/Devices/0/Constraints/0/RTarget"));
  EXPECT_THAT(checked.error().message(), HasSubstr("/Devices/0/Affinities/0/RTarget"));
}

}  // namespace
}  // namespace drover
