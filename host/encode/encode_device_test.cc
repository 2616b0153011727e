// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode_device.h"

#include <gtest/gtest.h>

#include "host/encode/encode.h"

namespace drover {
namespace {

using nlohmann::json;

TEST(EncodeDeviceTest, ANodeListsItsDevices) {
  EXPECT_EQ(EncodeDeviceGroups({}), nullptr);
  DeviceGroup group{{"nvidia", "gpu", "1080ti"}};
  group.attributes = {{"memory", {std::int64_t{11264}, "MiB"}},
                      {"clock", {1.5, "GHz"}},
                      {"fast", {true}},
                      {"arch", {std::string("pascal")}}};
  group.instances = {{"0", true, "", "0000:01:00.0"}, {"1", false, "too hot"}};
  EXPECT_EQ(EncodeDeviceGroups({group}),
            json::parse(R"([{"Vendor": "nvidia", "Type": "gpu", "Name": "1080ti",
                             "Attributes": {"memory": {"Int": 11264, "Unit": "MiB"},
                                            "clock": {"Float": 1.5, "Unit": "GHz"},
                                            "fast": {"Bool": true, "Unit": ""},
                                            "arch": {"String": "pascal", "Unit": ""}},
                             "Instances": [
                               {"ID": "0", "Healthy": true, "HealthDescription": "",
                                "Locality": {"PciBusID": "0000:01:00.0"}},
                               {"ID": "1", "Healthy": false, "HealthDescription": "too hot",
                                "Locality": null}]}])"));
}

TEST(EncodeDeviceTest, AnAllocationListsThoseOfItsTasks) {
  Allocation alloc;
  alloc.devices["t"] = {{{"linux", "loop", "loop"}, {"loop0", "loop1"}}};
  EXPECT_EQ(EncodeAllocatedDevices(alloc, "other"), nullptr);
  EXPECT_EQ(EncodeAllocatedDevices(alloc, "t"),
            json::parse(R"([{"Vendor": "linux", "Type": "loop", "Name": "loop",
                             "DeviceIDs": ["loop0", "loop1"]}])"));
}

TEST(EncodeDeviceTest, StatisticsAreByDevice) {
  const DeviceStat used = {"used", {std::int64_t{5}, "MiB"}, "in use"};
  const DeviceStats stats = {{{"nvidia", "gpu", "1080ti"}, {{"0", 0, used, {used}}, {"1"}}}};
  const json out = EncodeDeviceStats(stats);
  ASSERT_EQ(out.size(), 1u);
  const json& first = out[0].at("InstanceStats").at("0");
  EXPECT_EQ(first.at("Summary"),
            json::parse(R"({"IntNumeratorVal": 5, "Unit": "MiB", "Desc": "in use"})"));
  EXPECT_EQ(first.at("Stats").at("Attributes").at("used"), first.at("Summary"));
  EXPECT_EQ(out[0].at("InstanceStats").at("1").at("Summary"), nullptr);
}

TEST(EncodeDeviceTest, TheUsageOfATaskHasItsDevices) {
  const DeviceStat used = {"used", {std::int64_t{5}, "MiB"}, "in use"};
  AllocUsage usage;
  for (const char* task : {"a", "b", "c"}) usage.tasks[task] = std::make_shared<TaskUsage>();
  const TaskDeviceStats devices = {
      {"a", {{{"linux", "loop", "loop"}, {{"loop0", 0, used, {used}}}}}},
      {"b", {{{"linux", "kvm", "kvm"}, {{"kvm0", 0, used, {}}}}}},
      {"c", {}},
      {"ended", {{{"linux", "kvm", "kvm"}, {{"kvm1", 1}}}}}};
  const json out = EncodeUsage(usage, devices);
  const auto of_task = [&](const char* task) {
    return out.at("Tasks").at(task).at("ResourceUsage").at("DeviceStats");
  };
  EXPECT_EQ(of_task("a"), EncodeDeviceStats(devices.at("a")));
  EXPECT_EQ(of_task("c"), nullptr);
  const json& total = out.at("ResourceUsage").at("DeviceStats");
  ASSERT_EQ(total.size(), 2u);
  EXPECT_EQ(total[0], of_task("a")[0]);
  EXPECT_EQ(total[1], of_task("b")[0]);
  EXPECT_EQ(EncodeUsage(usage, {}).at("ResourceUsage").at("DeviceStats"), nullptr);
}

}  // namespace
}  // namespace drover
