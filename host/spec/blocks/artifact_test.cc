// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/spec/job_json.h"

namespace drover {
namespace {

using ArtifactJson = nlohmann::json;
using testing::HasSubstr;

constexpr char kAtArtifact[] = "/TaskGroups/0/Tasks/0/Artifacts/0";

std::string JobWithArtifact(ArtifactJson artifact) {
  const ArtifactJson task = {{"Name", "web"},
                             {"Driver", "raw_exec"},
                             {"Artifacts", ArtifactJson::array({std::move(artifact)})}};
  const ArtifactJson group = {{"Name", "g"}, {"Tasks", ArtifactJson::array({task})}};
  return ArtifactJson({{"ID", "j"}, {"TaskGroups", ArtifactJson::array({group})}}).dump();
}

std::string FaultOfArtifact(ArtifactJson artifact) {
  const auto job = ParseJob(JobWithArtifact(std::move(artifact)));
  return job.ok() ? "" : job.error().message();
}

TEST(ArtifactTest, IsReadAndWritten) {
  const auto job = ParseJob(JobWithArtifact({{"GetterSource", "https://x/${NOMAD_JOB_ID}"},
                                             {"GetterOptions", {{"checksum", "md5:a"}}},
                                             {"GetterHeaders", {{"X-Key", "secret"}}},
                                             {"GetterMode", "file"},
                                             {"GetterInsecure", true},
                                             {"RelativeDest", "local/one"},
                                             {"Chown", true}}));
  ASSERT_TRUE(job.ok()) << job.error().message();
  Artifact artifact;
  artifact.source = "https://x/${NOMAD_JOB_ID}";
  artifact.destination = "local/one";
  artifact.mode = Artifact::Mode::kFile;
  artifact.options = {{"checksum", "md5:a"}};
  artifact.headers = {{"X-Key", "secret"}};
  artifact.insecure = artifact.chown = true;
  EXPECT_EQ(job->groups[0].tasks[0].artifacts, std::vector<Artifact>{artifact});
  EXPECT_EQ(ParseJob(JobToJson(*job)).value(), *job);
}

TEST(ArtifactTest, OnlyTheSourceIsNeeded) {
  const auto job = ParseJob(JobWithArtifact({{"GetterSource", "http://x"}, {"RelativeDest", ""}}));
  ASSERT_TRUE(job.ok()) << job.error().message();
  const Artifact& artifact = job->groups[0].tasks[0].artifacts.at(0);
  EXPECT_EQ(artifact.destination, "local/");
  EXPECT_EQ(artifact.mode, Artifact::Mode::kAny);
}

TEST(ArtifactTest, FaultsNameTheirField) {
  const std::string at = kAtArtifact;
  EXPECT_THAT(FaultOfArtifact({{"RelativeDest", "x"}}),
              HasSubstr(at + "/GetterSource: is missing"));
  EXPECT_THAT(FaultOfArtifact({{"GetterSource", "a\nb"}}), HasSubstr(at + "/GetterSource: holds"));
  EXPECT_THAT(FaultOfArtifact({{"GetterSource", "x"}, {"GetterMode", "all"}}),
              HasSubstr(at + "/GetterMode: \"all\" is not known; write one of any, file, dir"));
  for (const char* place : {"..", "../..", "../other/local", "../alloc", "../alloc/logs/x",
                            "private/x", "local/../../../etc", "/../.."}) {
    EXPECT_THAT(FaultOfArtifact({{"GetterSource", "x"}, {"RelativeDest", place}}),
                HasSubstr(at + "/RelativeDest: \"" + place + "\" is no place for an artifact"));
  }
  EXPECT_THAT(FaultOfArtifact({{"GetterSource", "x"}, {"GetterHeaders", {{"a b", "c"}}}}),
              HasSubstr("is not the name of a header"));
  EXPECT_THAT(FaultOfArtifact({{"GetterSource", "x"}, {"GetterHeaders", {{"hOST", "c"}}}}),
              HasSubstr("the host sets the header"));
  EXPECT_THAT(FaultOfArtifact({{"GetterSource", std::string(40000, 'x')}}),
              HasSubstr(at + ": its texts are longer than 32768 bytes"));
}

TEST(ArtifactTest, AWrongValueOfAHeaderIsNotShown) {
  const std::string fault = FaultOfArtifact(
      {{"GetterSource", "x"}, {"GetterHeaders", {{"Authorization", "hunter2\r\nX: y"}}}});
  EXPECT_THAT(fault, HasSubstr("/GetterHeaders/Authorization: holds a control character"));
  EXPECT_THAT(fault, testing::Not(HasSubstr("hunter2")));
}

TEST(ArtifactTest, PlacesAreInTheAllocationDirectory) {
  EXPECT_EQ(ArtifactPlace("web", "local/"), "web/local");
  EXPECT_EQ(ArtifactPlace("web", "/local//a/./b/"), "web/local/a/b");
  EXPECT_EQ(ArtifactPlace("web", "local/a/../b"), "web/local/b");
  EXPECT_EQ(ArtifactPlace("web", "../alloc/data"), "alloc/data");
  EXPECT_EQ(ArtifactPlace("web", "../web/secrets/key"), "web/secrets/key");
  EXPECT_EQ(ArtifactPlace("web", "."), "web");
  EXPECT_EQ(ArtifactPlace("web", "../db/local"), std::nullopt);
  EXPECT_EQ(ArtifactPlace("web", "../../web/local"), std::nullopt);
  EXPECT_EQ(ArtifactPlace("web", std::string(300, 'a')), std::nullopt);
}

}  // namespace
}  // namespace drover
