// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/check_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string FaultOfSource(const std::string& source,
                          std::map<std::string, std::string> options = {},
                          Artifact::Mode mode = Artifact::Mode::kAny) {
  Job job;
  job.groups.resize(2);
  job.groups[1].tasks.resize(1);
  job.groups[1].tasks[0].artifacts.resize(2);
  job.groups[1].tasks[0].artifacts[0].source = "https://x/fine";
  Artifact& artifact = job.groups[1].tasks[0].artifacts[1];
  artifact.source = source;
  artifact.options = std::move(options);
  artifact.mode = mode;
  JobFaults faults;
  CheckArtifactSources(job, "/Job", &faults);
  if (faults.empty()) return "";
  EXPECT_EQ(faults.list()[0].pointer, "/Job/TaskGroups/1/Tasks/0/Artifacts/1/GetterSource");
  return faults.list()[0].message;
}

TEST(CheckSourcesTest, WhatCanNeverBeFetchedIsAFault) {
  EXPECT_THAT(FaultOfSource("git@github.com:a/b.git"), HasSubstr("SSH"));
  EXPECT_THAT(FaultOfSource("git::ssh://git@x/a.git"), HasSubstr("SSH"));
  EXPECT_THAT(FaultOfSource("hg::https://x/a"), HasSubstr("Mercurial"));
  EXPECT_THAT(FaultOfSource("nope::https://x/a"), HasSubstr("nope"));
  EXPECT_THAT(FaultOfSource("ftp://x/a"), HasSubstr("the scheme \"ftp\" is not supported"));
  EXPECT_THAT(FaultOfSource("a/relative/path"), HasSubstr("neither a URL nor an absolute path"));
  EXPECT_THAT(FaultOfSource("https://x/a?checksum=sha256:12"), HasSubstr("64 hexadecimal digits"));
  EXPECT_THAT(FaultOfSource("https://x/a", {{"checksum", "crc:1"}}), HasSubstr("of no known type"));
  EXPECT_THAT(FaultOfSource("https://x/a", {{"checksum", "file:ftp://x/sums"}}),
              HasSubstr("the file of its checksum"));
  EXPECT_THAT(FaultOfSource("https://x/a", {{"checksum", "file:/srv/sums"}}),
              HasSubstr("only by http"));
  EXPECT_THAT(FaultOfSource("https://x/a", {{"archive", "rar"}}), HasSubstr("no known form"));
  EXPECT_THAT(FaultOfSource("https://x/a/", {}, Artifact::Mode::kDir), HasSubstr("directories"));
}

TEST(CheckSourcesTest, WhatMayBeFetchedIsNone) {
  for (const char* source :
       {"https://x/a.tar.gz//b", "github.com/a/b", "git::https://x/a.git?ref=v1", "/srv/files/a",
        "s3::https://s3.us-east-1.amazonaws.com/a/b"}) {
    EXPECT_EQ(FaultOfSource(source), "") << source;
  }
  EXPECT_EQ(FaultOfSource("https://x/a", {{"checksum", "file:https://x/sums"}}), "");
}

TEST(CheckSourcesTest, AReferenceIsNotJudged) {
  EXPECT_EQ(FaultOfSource("${NOMAD_META_scheme}://x/a"), "");
  EXPECT_EQ(FaultOfSource("ftp://x/${NOMAD_JOB_ID}"), "");
  EXPECT_EQ(FaultOfSource("https://x/a", {{"checksum", "${NOMAD_META_sum}"}}), "");
}

TEST(CheckSourcesTest, NoFaultShowsASecret) {
  for (const char* source : {"ftp://me:hunter2@x/a?b=hunter2", "https://me:hunter2@x:port/a",
                             "https://x/a?checksum=file:ftp://me:hunter2@x/a?b=hunter2"}) {
    EXPECT_THAT(FaultOfSource(source), AllOf(Not(IsEmpty()), Not(HasSubstr("hunter2")))) << source;
  }
}

}  // namespace
}  // namespace drover
