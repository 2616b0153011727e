// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/job_versions.h"

#include <gmock/gmock.h>

#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const JobKey kWeb("default", "web");

class JobVersionsTest : public SchedulerFixture {
 protected:
  void RegisterVersions(int count) {
    for (int i = 0; i < count; ++i) MustRegister(Registration("web", 1, ++memory_));
  }
  std::vector<std::uint64_t> Versions() const {
    std::vector<std::uint64_t> numbers;
    store.Read([&](const Tables& tables) {
      for (const auto& [number, record] : tables.versions.at(kWeb)) numbers.push_back(number);
    });
    return numbers;
  }
  std::shared_ptr<const JobRecord> Version(std::uint64_t number) const {
    std::shared_ptr<const JobRecord> found;
    store.Read(
        [&](const Tables& tables) { found = Tables::Find(tables.versions.at(kWeb), number); });
    return found;
  }
  Code Tag(std::optional<std::uint64_t> number, const std::string& name) {
    const auto tagged = scheduler.TagVersion(kWeb, number, {name, "why", 0});
    return tagged.ok() ? Code::kOk : tagged.code();
  }

 private:
  int memory_ = 0;
};

TEST_F(JobVersionsTest, AVersionWithATagIsNotForgotten) {
  RegisterVersions(2);
  ASSERT_EQ(Tag(0, "golden"), Code::kOk);
  EXPECT_EQ(Version(0)->tag, (VersionTag{"golden", "why", loop.Wall()}));
  EXPECT_EQ(JobOf("web")->version, 1u) << "the newest is another one";
  RegisterVersions(8);
  EXPECT_THAT(Versions(), ElementsAre(0, 4, 5, 6, 7, 8, 9));
  ASSERT_TRUE(scheduler.UntagVersion(kWeb, "golden").ok());
  EXPECT_THAT(Versions(), ElementsAre(4, 5, 6, 7, 8, 9));
}

// A deployment with auto_revert that fails goes back to it.
TEST_F(JobVersionsTest, TheNewestStableVersionIsNotForgotten) {
  RegisterVersions(3);
  ASSERT_TRUE(scheduler.SetStable(kWeb, 0, true).ok());
  ASSERT_TRUE(scheduler.SetStable(kWeb, 1, true).ok());
  RegisterVersions(7);
  EXPECT_THAT(Versions(), ElementsAre(1, 5, 6, 7, 8, 9));
  ASSERT_TRUE(scheduler.SetStable(kWeb, 8, true).ok());
  RegisterVersions(1);
  EXPECT_THAT(Versions(), ElementsAre(5, 6, 7, 8, 9, 10));
}

// It makes no deployment. A deployment that fails goes back to the smaller count, but not to none.
TEST_F(JobVersionsTest, AVersionWithFewerAllocationsIsAsStable) {
  MustRegister(Registration("web", 5));
  MustRegister(Registration("web", 4));
  EXPECT_FALSE(JobOf("web")->stable);
  ASSERT_TRUE(scheduler.SetStable(kWeb, 1, true).ok());
  MustRegister(Registration("web", 3));
  EXPECT_TRUE(JobOf("web")->stable);
  EXPECT_EQ(JobOf("web")->version, 2u);
  MustRegister(Registration("web", 0));
  EXPECT_FALSE(JobOf("web")->stable);
  ASSERT_TRUE(scheduler.SetStable(kWeb, 3, true).ok());
  MustRegister(Registration("web", 2));
  EXPECT_FALSE(JobOf("web")->stable) << "they have to show it";
  ASSERT_TRUE(scheduler.SetStable(kWeb, 4, true).ok());
  MustRegister(Registration("web", 1, 110));
  EXPECT_FALSE(JobOf("web")->stable);
}

TEST_F(JobVersionsTest, ATagIsThatOfOneVersion) {
  RegisterVersions(2);
  ASSERT_EQ(Tag(0, "a"), Code::kOk);
  EXPECT_EQ(Tag(1, "a"), Code::kInvalidArgument);
  EXPECT_EQ(Tag(0, "b"), Code::kOk) << "it takes another name";
  EXPECT_EQ(Tag(std::nullopt, "a"), Code::kOk);
  EXPECT_EQ(JobOf("web")->tag->name, "a") << "the newest";
  EXPECT_EQ(Tag(2, "c"), Code::kNotFound);
  EXPECT_EQ(Tag(0, ""), Code::kInvalidArgument);
  EXPECT_EQ(Tag(0, std::string(129, 'x')), Code::kInvalidArgument);
  EXPECT_EQ(scheduler.TagVersion(kWeb, 0, {"x", std::string(1001, 'x'), 0}).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(scheduler.TagVersion({"default", "none"}, 0, {"x", "", 0}).code(), Code::kNotFound);
  EXPECT_EQ(scheduler.UntagVersion(kWeb, "c").code(), Code::kNotFound);
}

TEST_F(JobVersionsTest, TaggedVersionsAreBounded) {
  for (std::size_t i = 0; i < kMaxTaggedVersions; ++i) {
    RegisterVersions(1);
    ASSERT_EQ(Tag(std::nullopt, std::to_string(i)), Code::kOk);
  }
  RegisterVersions(1);
  EXPECT_EQ(Tag(std::nullopt, "more"), Code::kInvalidArgument);
  EXPECT_EQ(Tag(0, "renamed"), Code::kOk);
}

TEST_F(JobVersionsTest, WhatIsSaidOfAVersionLeavesTheJobAlone) {
  MakeNodeReady();
  RegisterVersions(2);
  const auto before = Live();
  const auto was = JobOf("web");
  const auto index = scheduler.SetStable(kWeb, 1, true);
  ASSERT_TRUE(index.ok());
  ASSERT_EQ(Tag(1, "a"), Code::kOk);
  EXPECT_TRUE(JobOf("web")->stable);
  EXPECT_GE(JobOf("web")->modify_index, *index);
  EXPECT_EQ(JobOf("web")->job_modify_index, was->job_modify_index);
  ASSERT_TRUE(scheduler.Evaluate(kWeb).ok());
  EXPECT_EQ(Live(), before) << "nothing is replaced";
  EXPECT_FALSE(Version(0)->stable);
  ASSERT_TRUE(scheduler.SetStable(kWeb, 1, false).ok());
  EXPECT_FALSE(JobOf("web")->stable);
  EXPECT_EQ(scheduler.SetStable(kWeb, 9, true).code(), Code::kNotFound);
  EXPECT_THAT(scheduler.SetStable(kWeb, 9, true).error().message(), HasSubstr("at version 9"));
}

TEST_F(JobVersionsTest, AStoppedJobIsAVersionWithoutThem) {
  JobRegistration registration = Registration("web", 1);
  registration.submission =
      std::make_shared<const JobSubmission>(JobSubmission{"job {}", "hcl2", {}, ""});
  MustRegister(registration);
  ASSERT_EQ(Tag(0, "a"), Code::kOk);
  ASSERT_TRUE(scheduler.SetStable(kWeb, 0, true).ok());
  ASSERT_TRUE(scheduler.Deregister(kWeb, false, false).ok());
  EXPECT_EQ(JobOf("web")->version, 1u);
  EXPECT_FALSE(JobOf("web")->tag);
  EXPECT_FALSE(JobOf("web")->stable);
  EXPECT_EQ(JobOf("web")->submission, registration.submission) << "it is the same text";
  EXPECT_TRUE(Version(0)->tag);
}

TEST_F(JobVersionsTest, FollowersHearNothingOfWhatIsSaid) {
  RegisterVersions(1);
  const std::uint64_t last = store.events().last_index();
  ASSERT_EQ(Tag(0, "a"), Code::kOk);
  EXPECT_EQ(store.events().last_index(), last);
}

}  // namespace
}  // namespace drover
