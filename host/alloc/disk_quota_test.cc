// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_quota.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "host/alloc/fake_project_quotas_for_test.h"
#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::int64_t kSize = 10 << 20;

class DiskQuotaTest : public ::testing::Test {
 protected:
  DiskQuotaTest() {
    for (const char* name : {"a", "b"}) {
      std::filesystem::create_directories(Path(name) + "/alloc/data");
    }
  }

  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  FileProject Of(const std::string& name) const { return quotas_.OfPath(Path(name)); }
  std::string HoldError(const std::string& id, bool started = false) {
    const Status held = quota_.Hold(id, kSize, started);
    return held.ok() ? "" : held.error().message();
  }

  const DirectoryForTest directory_;
  FakeProjectQuotas quotas_;
  DiskQuota quota_{{directory_.path(), 100, 102, &quotas_}};
};

TEST_F(DiskQuotaTest, EachAllocationHasAProjectOfItsOwn) {
  ASSERT_TRUE(quota_.Hold("a", kSize, false).ok());
  ASSERT_TRUE(quota_.Hold("b", kSize, false).ok());
  const FileProject a = Of("a"), b = Of("b");
  EXPECT_NE(a.id, b.id);
  for (const FileProject& of : {a, b}) {
    EXPECT_GE(of.id, 100u);
    EXPECT_LE(of.id, 102u);
    EXPECT_TRUE(of.inherited);
    EXPECT_EQ(quotas_.limits.at(of.id), kSize);
  }
  EXPECT_EQ(Of("a/alloc"), a);
  EXPECT_EQ(Of("a/alloc/data"), a);
}

TEST_F(DiskQuotaTest, AProjectStaysAndItsLimitIsSetAgain) {
  ASSERT_TRUE(quota_.Hold("a", kSize, false).ok());
  const FileProject project = Of("a");
  quotas_.limits.clear();
  for (const bool started : {false, true}) ASSERT_TRUE(quota_.Hold("a", 2 * kSize, started).ok());
  EXPECT_EQ(Of("a"), project);
  EXPECT_THAT(quotas_.limits, ElementsAre(Pair(project.id, 2 * kSize)));
  // An agent with another range has it, too.
  const DiskQuota other({directory_.path(), 500, 600, &quotas_});
  ASSERT_TRUE(other.Hold("a", kSize, true).ok());
  EXPECT_EQ(Of("a"), project);
}

TEST_F(DiskQuotaTest, AnAgentThatDiedBeforeAllHadItDoesItAgain) {
  quotas_.PutPath(Path("a"), {101, true});
  ASSERT_TRUE(quota_.Hold("a", kSize, false).ok());
  EXPECT_EQ(Of("a/alloc/data"), (FileProject{101, true}));
  EXPECT_EQ(quotas_.limits.at(101), kSize);
}

TEST_F(DiskQuotaTest, NoNumberIsUsedTwice) {
  quotas_.elsewhere[100] = {0, 1};  // a file that was moved, or that another agent has
  quotas_.elsewhere[102] = {4096, 0};
  ASSERT_TRUE(quota_.Hold("a", kSize, false).ok());
  EXPECT_EQ(Of("a").id, 101u);
  EXPECT_THAT(HoldError("b"), HasSubstr("all projects from 100 to 102 are in use: widen client/"));
  EXPECT_EQ(Of("b"), FileProject());
  std::filesystem::remove_all(Path("a"));
}

// Another agent chooses each number at the same moment.
TEST_F(DiskQuotaTest, OfTwoWhoMeetAtANumberNoneKeepsItAlone) {
  quotas_.after_put = [this](FileProject project) {
    if (project.id != 0) quotas_.elsewhere[project.id].files = 1;
  };
  EXPECT_NE(HoldError("a"), "");
  EXPECT_EQ(Of("a"), FileProject());
  EXPECT_EQ(Of("a/alloc"), FileProject());
  EXPECT_THAT(quotas_.limits, IsEmpty());
}

TEST_F(DiskQuotaTest, TheProjectOfAllAllocationsIsNotTheirOwn) {
  for (const char* name : {"", "a", "a/alloc", "a/alloc/data"}) {
    quotas_.PutPath(Path(name), {7, true});
  }
  EXPECT_EQ(quota_.Used("a"), std::nullopt);
  quota_.Free("a");
  EXPECT_THAT(quotas_.limits, IsEmpty());
  ASSERT_TRUE(quota_.Hold("a", kSize, false).ok());
  EXPECT_NE(Of("a").id, 7u);
  EXPECT_EQ(Of("a/alloc/data"), Of("a"));
}

TEST_F(DiskQuotaTest, TasksThatRunWithoutAQuotaGetNone) {
  EXPECT_THAT(HoldError("a", true), HasSubstr("have started without a quota"));
  EXPECT_EQ(Of("a"), FileProject());
  EXPECT_EQ(quota_.Used("a"), std::nullopt);
}

TEST_F(DiskQuotaTest, ItSaysWhatIsUsedAndIsFreeAgain) {
  ASSERT_TRUE(quota_.Hold("a", kSize, false).ok());
  quotas_.elsewhere[Of("a").id] = {12345, 0};
  EXPECT_EQ(quota_.Used("a"), 12345);
  EXPECT_EQ(quota_.Used("none"), std::nullopt);
  quota_.Free("a");
  quota_.Free("none");
  EXPECT_EQ(quotas_.limits.at(Of("a").id), 0);
}

TEST_F(DiskQuotaTest, AFailureIsAnError) {
  quotas_.put = Error(Code::kUnavailable, "no projects");
  EXPECT_EQ(HoldError("a"), "no projects");
  quotas_.put = {};
  quotas_.limit = Error(Code::kUnavailable, "no limits");
  EXPECT_EQ(HoldError("a"), "no limits");
  quotas_.limit = {};
  EXPECT_EQ(HoldError("a"), "");
  quotas_.check = Error(Code::kFailedPrecondition, "no quotas");
  EXPECT_FALSE(quota_.Check().ok());
}

TEST_F(DiskQuotaTest, NoFileOutsideGetsTheProject) {
  std::ofstream(Path("host")) << "of the host";
  std::ofstream(Path("a/alloc/own")) << "of the allocation";
  std::filesystem::create_hard_link(Path("host"), Path("a/alloc/second"));
  std::filesystem::create_symlink(Path("b"), Path("a/alloc/link"));
  ASSERT_TRUE(quota_.Hold("a", kSize, false).ok());
  EXPECT_EQ(Of("host"), FileProject());
  EXPECT_EQ(Of("b"), FileProject());
  EXPECT_EQ(Of("a/alloc/own"), (FileProject{Of("a").id, false})) << "a file hands on nothing";
}

TEST_F(DiskQuotaTest, AFileWithSeveralNamesInOneProjectChangesWithIt) {
  std::ofstream(Path("a/alloc/one")) << "x";
  std::filesystem::create_hard_link(Path("a/alloc/one"), Path("a/alloc/two"));
  quotas_.PutPath(Path("a/alloc/one"), {50, false});
  const UniqueFd top(open(Path("a").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(ChangeProject(quotas_, top.get(), Path("a"), 49, {60, true}).ok());
  EXPECT_EQ(Of("a/alloc/one").id, 50u) << "it may be a file of somebody else";
  ASSERT_TRUE(ChangeProject(quotas_, top.get(), Path("a"), 50, {61, true}).ok());
  EXPECT_EQ(Of("a/alloc/one").id, 61u);
  EXPECT_TRUE(quotas_.IsLast(Path("a"))) << "else an agent that dies in it leaves the rest";
}

TEST_F(DiskQuotaTest, DeepDirectoriesAreAnErrorAndNotTheEnd) {
  std::string deep = "a/alloc";
  for (int i = 0; i < 140; ++i) deep += "/d";
  std::filesystem::create_directories(Path(deep));
  EXPECT_THAT(HoldError("a"), HasSubstr("nested deeper than 128"));
  EXPECT_EQ(Of("a/alloc/data"), Of("a"));
}

// Whether the machine of the test has quotas or not, its answers are of use.
TEST_F(DiskQuotaTest, TheKernelAnswers) {
  const UniqueFd top(open(Path("a").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const ProjectQuotas& kernel = KernelProjectQuotas();
  EXPECT_TRUE(kernel.Of(top.get()).ok());
  const DiskQuota quota({directory_.path(), 100, 102});
  const Status usable = quota.Check();
  if (usable.ok()) GTEST_SKIP() << "this machine has quotas";
  EXPECT_NE(usable.error().message(), "");
  EXPECT_EQ(quota.Used("a"), std::nullopt);
  EXPECT_FALSE(quota.Hold("a", kSize, false).ok());
  EXPECT_TRUE(std::filesystem::exists(Path("a/alloc/data")));
}

}  // namespace
}  // namespace drover
