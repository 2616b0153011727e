// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json JobWithDevices(json devices) {
  return {{"ID", "job"},
          {"TaskGroups",
           {{{"Name", "group"},
             {"Tasks",
              {{{"Name", "task"},
                {"Driver", "mock_driver"},
                {"Resources", {{"Devices", std::move(devices)}}}}}}}}}};
}

std::string DeviceFaultOf(json devices) {
  const Result<Job> job = ParseJob(JobWithDevices(std::move(devices)).dump());
  return job.ok() ? "" : job.error().message();
}

constexpr char kDevicesAt[] = "/TaskGroups/0/Tasks/0/Resources/Devices";

TEST(DeviceNameTest, ARequestNamesATypeAVendorOrAModel) {
  const DeviceName gpu = {"nvidia", "gpu", "1080ti"};
  EXPECT_EQ(gpu.Text(), "nvidia/gpu/1080ti");
  for (const char* wanted : {"gpu", "nvidia/gpu", "nvidia/gpu/1080ti"}) {
    EXPECT_TRUE(gpu.IsOf(wanted)) << wanted;
  }
  for (const char* wanted : {"", "nvidia", "1080ti", "amd/gpu", "nvidia/tpu", "nvidia/gpu/",
                             "nvidia/gpu/1080", "nvidia/gpu/1080ti/x", "/gpu"}) {
    EXPECT_FALSE(gpu.IsOf(wanted)) << wanted;
  }
  EXPECT_TRUE((DeviceName{"intel", "gpu", "a/b"}).IsOf("intel/gpu/a/b"));
}

TEST(DeviceRequestTest, IsReadAndWritten) {
  const json devices = {
      {{"Name", "nvidia/gpu"},
       {"Count", 2},
       {"Constraints",
        {{{"LTarget", "${device.attr.memory}"}, {"RTarget", "2 GiB"}, {"Operand", ">="}}}},
       {"Affinities",
        {{{"LTarget", "${device.vendor}"},
          {"RTarget", "nvidia"},
          {"Operand", "="},
          {"Weight", -3}}}}},
      {{"Name", "kvm"}, {"Count", 1}, {"Constraints", nullptr}, {"Affinities", nullptr}}};
  json sent = JobWithDevices(devices);
  sent["TaskGroups"][0]["Tasks"][0]["Resources"]["Devices"][1] = {{"Name", "kvm"}};
  const Result<Job> job = ParseJob(sent.dump());
  ASSERT_TRUE(job.ok()) << job.error().message();
  const std::vector<DeviceRequest>& read = job->groups[0].tasks[0].devices;
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].count, 2);
  EXPECT_EQ(read[0].constraints[0], (Constraint{"${device.attr.memory}", ">=", "2 GiB"}));
  EXPECT_EQ(read[0].affinities[0], (Affinity{"${device.vendor}", "=", "nvidia", -3}));
  EXPECT_EQ(read[1], (DeviceRequest{"kvm", 1, {}, {}}));
  const json canonical = CanonicalJob(*job, sent);
  EXPECT_EQ(canonical.at(json::json_pointer(kDevicesAt)), devices);
  EXPECT_EQ(ParseJob(JobToJson(*job)).value(), *job);
}

TEST(DeviceRequestTest, MistakesAreNamed) {
  const std::string at = std::string(kDevicesAt) + "/0";
  const auto with = [](const char* field, json value) {
    json one = {{"Name", "gpu"}};
    one[field] = std::move(value);
    return json::array({one});
  };
  EXPECT_EQ(DeviceFaultOf(with("Count", 1)), "");
  EXPECT_EQ(DeviceFaultOf({{{"Count", 1}}}), at + "/Name: is missing");
  for (const char* name : {"/gpu", "nvidia//gpu", "nvidia/", "a gpu"}) {
    EXPECT_THAT(DeviceFaultOf(with("Name", name)), HasSubstr("is no name of devices")) << name;
  }
  EXPECT_EQ(DeviceFaultOf(with("Count", 0)), at + "/Count: must be 1 to 1024, but is 0");
  EXPECT_EQ(DeviceFaultOf(with("Count", -1)), at + "/Count: must be 1 to 1024, but is -1");
  EXPECT_EQ(DeviceFaultOf(with("Count", 1025)), at + "/Count: must be 1 to 1024, but is 1025");
  const json rule = {{"LTarget", "${device.type}"}, {"RTarget", "gpu"}};
  json wrong = rule;
  wrong["Operand"] = "distinct_hosts";
  EXPECT_EQ(DeviceFaultOf(with("Constraints", json::array({wrong}))),
            at + "/Constraints/0/Operand: \"distinct_hosts\" is for jobs and task groups");
  wrong["Operand"] = "~";
  EXPECT_EQ(DeviceFaultOf(with("Affinities", json::array({wrong}))),
            at + "/Affinities/0/Operand: \"~\" is not supported by this version");
  for (const int weight : {0, 101, -101}) {
    wrong = rule;
    wrong["Weight"] = weight;
    EXPECT_THAT(DeviceFaultOf(with("Affinities", json::array({wrong}))),
                HasSubstr("/Affinities/0/Weight: must be -100 to 100"));
  }
  EXPECT_THAT(DeviceFaultOf(with("Constraints", json::array({{{"RTarget", "x"}}}))),
              HasSubstr("/Constraints/0/LTarget: is missing"));
  json many = json::array();
  for (int i = 0; i < 65; ++i) many.push_back({{"Name", "gpu"}});
  EXPECT_EQ(DeviceFaultOf(many),
            std::string(kDevicesAt) + ": a task may have at most 64 device blocks");
}

}  // namespace
}  // namespace drover
