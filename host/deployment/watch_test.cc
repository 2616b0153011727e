// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/deployment/deployment_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WatchDeploymentTest : public testing::Test, protected DeploymentForTest {
 protected:
  // The allocation NEXT has the place of RECORD, whose node has no contact.
  static void ReplaceAway(AllocRecord* record, const std::string& next) {
    AllocChange change;
    change.states.push_back({ClientStatus::kUnknown, kSecond});
    record->change = std::make_shared<const AllocChange>(std::move(change));
    record->next = next;
  }
};

TEST_F(WatchDeploymentTest, HealthyAllocationsMoveTheDeadlineAndCompleteIt) {
  Put("old", {.version = 2});
  EXPECT_EQ(Watch(100).look_again, 0) << "no deadline before the first placement";
  Put("a", {});
  DeploymentStep step = Watch(100);
  EXPECT_EQ(group().placed, 1);
  EXPECT_EQ(group().require_progress_by, 700 * kSecond);
  EXPECT_EQ(step.look_again, 700 * kSecond);
  EXPECT_FALSE(step.evaluate);
  EXPECT_EQ(Says(), "running: Deployment is running");
  EXPECT_FALSE(Watch(200).changed) << "time alone changes nothing";

  Put("a", {.healthy = true, .at = 300});
  step = Watch(305);
  EXPECT_TRUE(step.evaluate) << "the next one may be replaced";
  EXPECT_EQ(group().healthy, 1);
  EXPECT_EQ(step.look_again, 900 * kSecond);
  EXPECT_FALSE(Watch(306).evaluate) << "once";

  Put("old", {.version = 2, .stopped = true});
  Put("b", {.healthy = true, .at = 310});
  step = Watch(310);
  EXPECT_EQ(Says(), "successful: Deployment completed successfully");
  EXPECT_TRUE(step.stable);
  EXPECT_FALSE(step.evaluate);
  EXPECT_EQ(step.look_again, 0);
  EXPECT_FALSE(Watch(10'000).changed) << "an ended deployment stays as it is";
}

TEST_F(WatchDeploymentTest, AFirstVersionIsNotEvaluatedForEachHealthyAllocation) {
  Put("a", {.healthy = true, .at = 1});
  Put("b", {});
  EXPECT_FALSE(Watch(2).evaluate);
}

TEST_F(WatchDeploymentTest, AnOldAllocationOrAnEndedOneHoldsTheEnd) {
  Put("a", {.healthy = true});
  Put("b", {.healthy = true});
  Put("old", {.version = 1});
  Watch(1);
  EXPECT_EQ(deployment.status, "running");
  Put("old", {.version = 1, .status = ClientStatus::kFailed});
  Put("b", {.healthy = true, .status = ClientStatus::kFailed});
  Watch(2);
  EXPECT_EQ(deployment.status, "running") << "its replacement is still to come";
  EXPECT_EQ(group().healthy, 2);
  Put("c", {.healthy = true});
  Watch(3);
  EXPECT_EQ(deployment.status, "successful");
}

TEST_F(WatchDeploymentTest, WithoutProgressItFails) {
  Put("a", {});
  Watch(100);
  EXPECT_FALSE(Watch(699).changed);
  const DeploymentStep step = Watch(700);
  EXPECT_EQ(Says(), "failed: Failed due to progress deadline");
  EXPECT_TRUE(step.evaluate);
  EXPECT_FALSE(step.revert_to);
}

TEST_F(WatchDeploymentTest, TheClockOfANodeGivesNoMoreTime) {
  Put("a", {.healthy = true, .at = 1'000'000});
  Watch(100);
  EXPECT_EQ(group().require_progress_by, 700 * kSecond);
}

TEST_F(WatchDeploymentTest, AnUnhealthyAllocationIsReplacedByItsPolicyOnce) {
  Put("a", {.healthy = false});
  DeploymentStep step = Watch(100);
  EXPECT_THAT(step.reschedule, ElementsAre("a"));
  EXPECT_TRUE(step.evaluate);
  EXPECT_EQ(group().unhealthy, 1);
  EXPECT_EQ(deployment.status, "running");
  Put("a", {.healthy = false}).reschedule = true;
  step = Watch(101);
  EXPECT_THAT(step.reschedule, IsEmpty());
  EXPECT_FALSE(step.evaluate);
}

TEST_F(WatchDeploymentTest, ATaskThatEndsWithoutAVerdictIsUnhealthy) {
  Put("a", {.status = ClientStatus::kFailed});
  const DeploymentStep step = Watch(1);
  EXPECT_EQ(group().unhealthy, 1);
  EXPECT_THAT(step.reschedule, IsEmpty()) << "its failure is enough";
  Put("b", {.status = ClientStatus::kComplete, .stopped = true});
  Watch(2);
  EXPECT_EQ(group().unhealthy, 1) << "it was stopped";
}

TEST_F(WatchDeploymentTest, WithoutADeadlineTheFirstUnhealthyOneFailsIt) {
  group().progress_deadline = 0s;
  Put("a", {.healthy = true});
  EXPECT_EQ(Watch(1).look_again, 0);
  Put("b", {.healthy = false});
  EXPECT_TRUE(Watch(2).evaluate);
  EXPECT_EQ(Says(), "failed: Failed due to unhealthy allocations");
}

TEST_F(WatchDeploymentTest, WithoutADeadlineAHealthyOneThatFailsForGoodFailsIt) {
  group().progress_deadline = 0s;
  const auto fail = [this](const std::string& id) {
    Put(id, {.healthy = true, .status = ClientStatus::kFailed});
  };
  fail("a");
  Watch(1);
  EXPECT_EQ(Says(), "running: Deployment is running") << "its replacement is still to come";
  no_attempts = {"a"};
  const Deployment before = deployment;
  EXPECT_TRUE(Watch(2).evaluate);
  EXPECT_EQ(Says(), "failed: Failed due to unhealthy allocations");
  deployment = before;
  Put("a", {.healthy = true, .status = ClientStatus::kFailed}).next = "b";
  Put("b", {});
  Watch(3);
  EXPECT_EQ(deployment.status, "running") << "it was replaced by request";
  Put("b", {.healthy = true, .stopped = true}).no_reschedule = true;
  Watch(4);
  EXPECT_EQ(Says(), "failed: Failed due to unhealthy allocations");
}

TEST_F(WatchDeploymentTest, WithADeadlineAHealthyOneThatFailsForGoodFailsItThen) {
  Put("a", {.healthy = true, .at = 100});
  Put("b", {.healthy = true, .at = 100, .status = ClientStatus::kFailed});
  no_attempts = {"b"};
  EXPECT_EQ(Watch(100).look_again, 700 * kSecond);
  EXPECT_FALSE(Watch(699).changed);
  Watch(700);
  EXPECT_EQ(Says(), "failed: Failed due to progress deadline");
}

// While all were healthy, the group waited for another one, or for people.
TEST_F(WatchDeploymentTest, AHealthyOneThatEndsGivesItsReplacementTheWholeDeadline) {
  group().desired_canaries = 1;
  Put("old", {.version = 2});
  Put("a", {.healthy = true, .at = 10, .canary = true});
  EXPECT_EQ(Watch(10).look_again, 0);
  Put("a", {.healthy = true, .at = 10, .status = ClientStatus::kFailed, .canary = true})
      .reported.modify_time = 5000 * kSecond;
  EXPECT_EQ(Watch(5000).look_again, 5600 * kSecond);
  EXPECT_EQ(deployment.status, "running");
  Watch(5600);
  EXPECT_EQ(Says(), "failed: Failed due to progress deadline");
}

TEST_F(WatchDeploymentTest, AFailureGoesBackToTheLastStableVersion) {
  group().progress_deadline = 0s;
  group().auto_revert = true;
  AddVersion(1).stable = true;
  Put("a", {.healthy = false});
  const DeploymentStep step = Watch(2);
  EXPECT_EQ(step.revert_to, 1u);
  EXPECT_EQ(Says(), "failed: Failed due to unhealthy allocations - rolling back to job version 1");
}

TEST_F(WatchDeploymentTest, AFailureOfAnotherGroupDoesNotGoBack) {
  AddVersion(1).stable = true;
  group().auto_revert = true;
  deployment.groups["h"] = group();
  group("h").auto_revert = false;
  group("h").progress_deadline = 0s;
  Put("a", {.group = "h", .healthy = false});
  EXPECT_FALSE(Watch(2).revert_to);
  EXPECT_EQ(Says(), "failed: Failed due to unhealthy allocations");
}

TEST_F(WatchDeploymentTest, NoVersionToGoBackTo) {
  group().progress_deadline = 0s;
  group().auto_revert = true;
  JobRecord& stopped = AddVersion(1);
  stopped.stable = stopped.stop = true;
  JobRecord& purged = AddVersion(2);
  purged.stable = true;
  purged.create_index = 1;
  Put("a", {.healthy = false});
  EXPECT_FALSE(Watch(2).revert_to);
  EXPECT_EQ(Says(),
            "failed: Failed due to unhealthy allocations - no stable job version to auto revert "
            "to");
}

constexpr std::string_view kNotRolledBackTo1 =
    "failed: Failed due to unhealthy allocations - not rolling back to stable job version 1 as "
    "current job has same specification";

TEST_F(WatchDeploymentTest, AStableVersionThatSaysTheSameIsNotRegisteredAgain) {
  group().progress_deadline = 0s;
  group().auto_revert = true;
  AddVersion(1, "3").stable = true;
  Put("a", {.healthy = false});
  EXPECT_FALSE(Watch(2).revert_to);
  EXPECT_EQ(Says(), kNotRolledBackTo1);
  EXPECT_FALSE(Watch(3).changed) << "it has ended";
}

// If two stable versions fail now, the job must not go back and forth between them.
TEST_F(WatchDeploymentTest, AVersionThatHasComeBackIsTheLastAttempt) {
  group().progress_deadline = 0s;
  group().auto_revert = true;
  AddVersion(0, "A").stable = true;
  AddVersion(1, "B").stable = true;
  AddVersion(2, "C");
  AddVersion(3, "B");
  Put("a", {.healthy = false});
  EXPECT_FALSE(Watch(2).revert_to);
  EXPECT_EQ(Says(), kNotRolledBackTo1);
}

TEST_F(WatchDeploymentTest, CanariesWaitForPeople) {
  group().desired_canaries = 2;
  Put("old", {.version = 2});
  Put("a", {.canary = true});
  Put("b", {.healthy = true, .at = 10, .canary = true});
  DeploymentStep step = Watch(20);
  EXPECT_EQ(Says(), "running: Deployment is running but requires manual promotion");
  EXPECT_THAT(group().placed_canaries, ElementsAre("a", "b"));
  EXPECT_NE(step.look_again, 0);
  EXPECT_FALSE(step.evaluate) << "nothing goes on before the promotion";
  Put("a", {.healthy = true, .at = 30, .canary = true});
  step = Watch(30);
  EXPECT_EQ(step.look_again, 0) << "people have all the time they need";
  EXPECT_FALSE(Watch(100'000).changed);
}

TEST_F(WatchDeploymentTest, AThousandCanariesAreCountedOnce) {
  group().desired_canaries = 1000;
  for (int i = 0; i < 1000; ++i) Put("canary " + std::to_string(i), {.canary = true});
  for (WallTime at : {1, 2}) Watch(at);
  EXPECT_EQ(group().placed_canaries.size(), 1000u);
  Put("one more", {.canary = true});
  Watch(3);
  EXPECT_EQ(group().placed_canaries.size(), 1001u);
  EXPECT_EQ(group().placed_canaries.back(), "one more");
}

TEST_F(WatchDeploymentTest, CanariesThatStayUnhealthyFailAtTheDeadline) {
  group().desired_canaries = 1;
  Put("a", {.canary = true});
  Watch(0);
  Watch(600);
  EXPECT_EQ(Says(), "failed: Failed due to progress deadline");
}

TEST_F(WatchDeploymentTest, CanariesPromoteThemselvesTogether) {
  group().desired_canaries = 1;
  group().auto_promote = true;
  deployment.groups["h"] = group();
  Put("old", {.version = 2});
  Put("a", {.healthy = true, .canary = true});
  Put("b", {.group = "h", .canary = true});
  EXPECT_FALSE(Watch(1).evaluate);
  EXPECT_EQ(Says(), "running: Deployment is running pending automatic promotion");
  Put("b", {.group = "h", .healthy = true, .canary = true});
  const DeploymentStep step = Watch(2);
  EXPECT_TRUE(step.evaluate);
  EXPECT_THAT(step.no_canary, ElementsAre("a", "b"));
  EXPECT_TRUE(group("g").promoted && group("h").promoted);
  EXPECT_EQ(Says(), "running: Deployment is running");
}

TEST_F(WatchDeploymentTest, OneGroupThatNeedsPeopleKeepsTheOthersWaiting) {
  group().desired_canaries = 1;
  group().auto_promote = true;
  deployment.groups["h"] = group();
  group("h").auto_promote = false;
  Put("a", {.healthy = true, .canary = true});
  Put("b", {.group = "h", .healthy = true, .canary = true});
  EXPECT_THAT(Watch(1).no_canary, IsEmpty());
  EXPECT_EQ(Says(), "running: Deployment is running but requires manual promotion");
}

TEST_F(WatchDeploymentTest, AStoppedOrNewerJobEndsIt) {
  Put("a", {});
  const Deployment before = deployment;
  AddVersion(4);
  EXPECT_FALSE(Watch(1).evaluate) << "the registration evaluates";
  EXPECT_EQ(Says(), "cancelled: Cancelled due to newer version of job");
  deployment = before;
  AddVersion(4).stop = true;
  Watch(1);
  EXPECT_EQ(Says(), "cancelled: Cancelled because job is stopped");
  deployment = before;
  versions.clear();  // purged
  Watch(1);
  EXPECT_EQ(Says(), "cancelled: Cancelled because job is stopped");
}

TEST_F(WatchDeploymentTest, AllocationsOfAPurgedJobDoNotCount) {
  JobRecord& earlier = AddVersion(2);
  earlier.create_index = 1;
  Put("old", {.version = 2});
  Put("a", {.healthy = true});
  Put("b", {.healthy = true});
  Watch(1);
  EXPECT_EQ(deployment.status, "successful");
}

TEST_F(WatchDeploymentTest, AnOlderOneWithoutContactThatHasAReplacementDoesNotHoldIt) {
  ReplaceAway(&Put("old", {.version = 2, .status = ClientStatus::kUnknown}), "a");
  Put("a", {.healthy = true});
  Put("b", {.healthy = true});
  Watch(1);
  EXPECT_EQ(deployment.status, "successful");
}

TEST_F(WatchDeploymentTest, OneWithoutContactAndItsReplacementAreOneHealthyOne) {
  AllocRecord& away = Put("a", {.healthy = true, .at = 1, .status = ClientStatus::kUnknown});
  ReplaceAway(&away, "c");
  away.reported.modify_time = 500 * kSecond;
  Put("c", {.healthy = true, .at = 1});
  Put("b", {});
  group().require_progress_by = 601 * kSecond;
  Watch(502);
  EXPECT_EQ(deployment.status, "running");
  away.reported.status.status = ClientStatus::kRunning;
  Watch(502);
  EXPECT_EQ(deployment.status, "running") << "one of the two will stop";
  EXPECT_EQ(group().require_progress_by, 1100 * kSecond) << "until its loss it needed no progress";
  Put("b", {.healthy = true, .at = 503});
  Watch(503);
  EXPECT_EQ(deployment.status, "successful");
}

TEST_F(WatchDeploymentTest, AnOlderOneOnANodeThatTakesNothingNewDoesNotHoldASystemJob) {
  type = JobType::kSystem;
  AddVersion(3);
  auto node = std::make_shared<NodeRecord>();
  nodes["n2"] = node;
  Put("a", {.healthy = true, .node = "n1"});
  Put("old", {.version = 2, .node = "n2"});
  group().desired_total = 1;
  Watch(1);
  EXPECT_EQ(deployment.status, "running");
  node->eligible = false;
  Watch(2);
  EXPECT_EQ(deployment.status, "successful");
}

TEST_F(WatchDeploymentTest, SystemJobsAreNotRescheduled) {
  type = JobType::kSystem;
  AddVersion(3);
  Put("a", {.healthy = false});
  EXPECT_THAT(Watch(1).reschedule, IsEmpty());
}

}  // namespace
}  // namespace drover
