// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The scaling policies of jobs over their versions, their stops and the next agent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/base/directory_for_test.h"
#include "host/scheduler/scheduler_fixture.h"
#include "host/state/state_journal.h"

namespace drover {
namespace {

using ::testing::IsEmpty;

class SchedulerScalingTest : public SchedulerFixture {
 protected:
  SchedulerScalingTest() { MakeNodeReady(); }

  // Registers a job whose group may have 1 to MAX allocations; without a policy if MAX is 0.
  JobReply Run(int max, int memory = 100, std::shared_ptr<const JobSubmission> source = nullptr) {
    JobRegistration registration = Registration("web", 1, memory);
    auto job = std::make_shared<Job>(*registration.job);
    if (max > 0) job->groups[0].scaling = ScalingPolicy{"horizontal", true, 1, max, ""};
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
    registration.job = std::move(job);
    registration.submission = std::move(source);
    return MustRegister(std::move(registration));
  }
  // Returns the only policy; null if there is none.
  std::shared_ptr<const ScalingRecord> Policy() const {
    std::shared_ptr<const ScalingRecord> policy;
    store.Read([&](const Tables& tables) {
      EXPECT_LE(tables.scaling_policies.size(), 1u);
      if (!tables.scaling_policies.empty()) policy = tables.scaling_policies.begin()->second;
    });
    return policy;
  }
  std::shared_ptr<const JobRecord> Web() const {
    std::shared_ptr<const JobRecord> job;
    store.Read([&](const Tables& tables) { job = Tables::Find(tables.jobs, key_); });
    return job;
  }
  std::uint64_t TableIndex() const {
    std::uint64_t index = 0;
    store.Read([&](const Tables& tables) { index = tables.IndexOf(MaskOf(Table::kScaling)); });
    return index;
  }

  const JobKey key_{"default", "web"};
};

TEST_F(SchedulerScalingTest, APolicyGoesWithItsBlock) {
  Run(0);
  EXPECT_EQ(Policy(), nullptr);
  EXPECT_EQ(TableIndex(), 1u) << "a job without policies does not touch them";
  const JobReply made = Run(5);
  const auto policy = Policy();
  ASSERT_NE(policy, nullptr);
  EXPECT_EQ(policy->create_index, made.job_modify_index);
  EXPECT_EQ(TableIndex(), made.job_modify_index);
  EXPECT_EQ(Live().size(), 1u);

  Run(5, 120);  // another version, the same policy
  EXPECT_EQ(Policy(), policy);
  EXPECT_EQ(TableIndex(), made.job_modify_index);

  const JobReply changed = Run(7, 120);
  EXPECT_EQ(Policy()->id, policy->id);
  EXPECT_EQ(Policy()->create_index, policy->create_index);
  EXPECT_EQ(Policy()->modify_index, changed.job_modify_index);

  const JobReply without = Run(0, 120);
  EXPECT_EQ(Policy(), nullptr);
  EXPECT_EQ(TableIndex(), without.job_modify_index);
  Run(7, 120);
  EXPECT_NE(Policy()->id, policy->id) << "it is another one";
}

TEST_F(SchedulerScalingTest, AChangedPolicyReplacesNoAllocation) {
  Run(5);
  const auto before = Live();
  Run(7);
  EXPECT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->id(), before[0]->id());
}

TEST_F(SchedulerScalingTest, AStoppedJobIsNotScaled) {
  Run(5);
  const std::string id = Policy()->id;
  const std::uint64_t stopped = scheduler.Deregister(key_, false, false)->job_modify_index;
  EXPECT_EQ(Policy()->id, id);
  EXPECT_FALSE(Policy()->policy.enabled);
  EXPECT_EQ(Policy()->modify_index, stopped);
  EXPECT_EQ(TableIndex(), stopped);
  EXPECT_FALSE(Web()->job->groups[0].scaling->enabled);
  EXPECT_EQ(Web()->json.Whole()->at("TaskGroups")[0].at("Scaling").at("Enabled"), false);
  EXPECT_EQ(Web()->json.Copy(), CanonicalJob(*Web()->job, Web()->json.Copy()));
  Run(5);
  EXPECT_EQ(Policy()->id, id);
  EXPECT_TRUE(Policy()->policy.enabled);

  scheduler.Deregister(key_, true, false).value();
  EXPECT_EQ(Policy(), nullptr);
  EXPECT_GT(TableIndex(), stopped);
}

TEST_F(SchedulerScalingTest, AJobThatStartsAgainKeepsItsText) {
  const auto text = std::make_shared<const JobSubmission>(JobSubmission{"text", "hcl2", {}, ""});
  Run(5, 100, text);
  scheduler.Deregister(key_, false, false).value();
  EXPECT_EQ(Web()->submission, text);
  Run(5);
  EXPECT_EQ(Web()->submission, text) << "only the stop had changed the job";
  scheduler.Deregister(key_, false, false).value();
  Run(6);
  EXPECT_EQ(Web()->submission, nullptr);
}

TEST_F(SchedulerScalingTest, TheNextAgentFindsThePolicies) {
  const DirectoryForTest directory{"/dev/shm"};
  const std::string path = directory.path() + "/state";
  auto opened = drover::Store::Open(path, nullptr);
  ASSERT_TRUE(opened.ok());
  std::unique_ptr<drover::Store> file = std::move(opened->store);
  store.SetJournal(StateJournal(file.get()));
  Run(5);
  Run(7);
  Run(7, 120);
  const auto policy = Policy();
  store.SetJournal(nullptr);
  file.reset();
  opened = drover::Store::Open(path, nullptr);
  ASSERT_TRUE(opened.ok());
  const LoadedState loaded = LoadState(opened->records);
  EXPECT_THAT(loaded.refused, IsEmpty());
  ASSERT_EQ(loaded.tables.scaling_policies.size(), 1u);
  const ScalingRecord& found = *loaded.tables.scaling_policies.begin()->second;
  EXPECT_EQ(found.id, policy->id);
  EXPECT_EQ(found.policy, policy->policy);
  EXPECT_EQ(found.create_index, policy->create_index);
  EXPECT_EQ(found.modify_index, policy->modify_index);

  // If the record of the job is lost, its allocations know the policies, too.
  std::erase_if(opened->records,
                [](const Record& one) { return one.key.kind == record_kind::kJob; });
  const LoadedState rest = LoadState(opened->records);
  ASSERT_EQ(rest.tables.scaling_policies.size(), 1u);
  EXPECT_EQ(rest.tables.scaling_policies.begin()->first, policy->id);
}

}  // namespace
}  // namespace drover
