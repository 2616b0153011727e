// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/volume_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Returns a job whose group has the volume "data" with MORE, and whose task mounts it with MOUNT.
json JobWithVolume(json more = json::object(), json mount = json::object()) {
  json volume = {{"Type", "host"}, {"Source", "disk"}};
  if (!more.is_null()) volume.update(more);
  json at = {{"Volume", "data"}, {"Destination", "/data"}};
  if (!mount.is_null()) at.update(mount);
  json task = {{"Name", "t"}, {"Driver", "exec"}};
  task["VolumeMounts"] = json::array({std::move(at)});
  json group = {{"Name", "g"}};
  group["Volumes"]["data"] = std::move(volume);
  group["Tasks"] = json::array({std::move(task)});
  json job = {{"ID", "j"}};
  job["TaskGroups"] = json::array({std::move(group)});
  return job;
}

// Returns the only fault of JOB, with its pointer; empty if there is none.
std::string FaultOf(const json& job) {
  std::vector<JobFault> faults;
  if (ParseJob(job.dump(), &faults).ok()) return "";
  EXPECT_EQ(faults.size(), 1u);
  return faults.empty() ? "" : faults[0].pointer + ": " + faults[0].message;
}

TEST(VolumeJsonTest, VolumesAndMountsAreReadAndWrittenAgain) {
  const json sent = JobWithVolume({{"ReadOnly", true},
                                   {"Sticky", true},
                                   {"PerAlloc", true},
                                   {"AccessMode", "single-node-reader-only"},
                                   {"AttachmentMode", "file-system"}},
                                  {{"ReadOnly", true}, {"PropagationMode", "host-to-task"}});
  const Result<Job> job = ParseJob(sent.dump());
  ASSERT_TRUE(job.ok()) << job.error().message();
  const VolumeRequest& volume = job->groups[0].volumes.at("data");
  EXPECT_EQ(volume, (VolumeRequest{"host", "disk", true, true, true, "single-node-reader-only",
                                   "file-system"}));
  EXPECT_EQ(job->groups[0].tasks[0].volume_mounts,
            (std::vector<VolumeMount>{{"data", "/data", true, "host-to-task"}}));
  const Result<Job> again = ParseJob(JobToJson(*job));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(*again, *job);
  EXPECT_EQ(SourceOf(volume, 3), "disk[3]");
  EXPECT_FALSE(Writes(volume));
}

TEST(VolumeJsonTest, DefaultsAreThoseOfClients) {
  const Result<Job> job = ParseJob(JobWithVolume().dump());
  ASSERT_TRUE(job.ok()) << job.error().message();
  const VolumeRequest& volume = job->groups[0].volumes.at("data");
  EXPECT_EQ(volume, (VolumeRequest{"host", "disk", false, false, false, "", ""}));
  EXPECT_EQ(job->groups[0].tasks[0].volume_mounts[0].propagation_mode, "private");
  EXPECT_EQ(SourceOf(volume, 3), "disk");
  EXPECT_TRUE(Writes(volume));
}

TEST(VolumeJsonTest, MistakesAreNamed) {
  const std::string volume = "/TaskGroups/0/Volumes/data/";
  const std::string mount = "/TaskGroups/0/Tasks/0/VolumeMounts/0/";
  const std::pair<json, std::string> bad[] = {
      {JobWithVolume({{"Type", ""}}), volume + "Type: is missing; write \"host\""},
      {JobWithVolume({{"Type", "csi"}}),
       volume + "Type: \"csi\" is not supported by this version; "},
      {JobWithVolume({{"Type", "nfs"}}), volume + "Type: \"nfs\" is not known; write \"host\""},
      {JobWithVolume({{"Source", ""}}), volume + "Source: is missing"},
      {JobWithVolume({{"AccessMode", "all"}}),
       volume + "AccessMode: \"all\" is not known; write one of"},
      {JobWithVolume({{"AccessMode", "single-node-reader-only"}}),
       volume + "ReadOnly: must be true"},
      {JobWithVolume({{"AttachmentMode", "block-device"}}),
       volume + "AttachmentMode: \"block-device\""},
      {JobWithVolume({{"ReadOnly", 1}}), volume + "ReadOnly: must be true or false, but is 1"},
      {JobWithVolume({{"Nonsense", 1}}), volume + "Nonsense: there is no such field"},
      {JobWithVolume({}, {{"Volume", "other"}}),
       mount + "Volume: the group has no volume \"other\""},
      {JobWithVolume({}, {{"Volume", ""}}), mount + "Volume: is missing"},
      {JobWithVolume({}, {{"Destination", ""}}), mount + "Destination: is missing"},
      {JobWithVolume({}, {{"Destination", "data"}}),
       mount + "Destination: \"data\" must be absolute"},
      {JobWithVolume({}, {{"Destination", "//./"}}),
       mount + "Destination: \"//./\" is the root of the task"},
      {JobWithVolume({}, {{"Destination", "/a/../etc"}}),
       mount + "Destination: \"/a/../etc\" has a part"},
      {JobWithVolume({}, {{"Destination", "/a\nb"}}), mount + "Destination: \"/a"},
      {JobWithVolume({}, {{"PropagationMode", "shared"}}),
       mount + "PropagationMode: \"shared\" is not"},
      {JobWithVolume({}, {{"SELinuxLabel", "z"}}), mount + "SELinuxLabel: is not supported"},
  };
  for (const auto& [job, fault] : bad) EXPECT_THAT(FaultOf(job), HasSubstr(fault)) << job;
  EXPECT_EQ(FaultOf(JobWithVolume({}, {{"Destination", "${NOMAD_TASK_DIR}/x"}})), "");
}

TEST(VolumeJsonTest, ASystemJobHasNoVolumePerAllocation) {
  json job = JobWithVolume({{"PerAlloc", true}});
  EXPECT_EQ(FaultOf(job), "");
  job["Type"] = "system";
  EXPECT_THAT(FaultOf(job), HasSubstr("/Volumes/data/PerAlloc: is for service and batch jobs"));
}

TEST(VolumeJsonTest, TwoVolumesAreNotMountedAtOnePlace) {
  json job = JobWithVolume();
  json& mounts = job["TaskGroups"][0]["Tasks"][0]["VolumeMounts"];
  mounts.push_back(mounts[0]);
  EXPECT_THAT(FaultOf(job), HasSubstr("\"/data\" is already at"));
}

TEST(VolumeJsonTest, AVolumeThatIsNoObjectIsNoCrash) {
  json job = JobWithVolume();
  job["TaskGroups"][0]["Volumes"]["data"] = 7;
  std::vector<JobFault> faults;
  EXPECT_FALSE(ParseJob(job.dump(), &faults).ok());
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0].pointer, "/TaskGroups/0/Volumes/data");
}

}  // namespace
}  // namespace drover
