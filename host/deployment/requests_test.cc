// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/deployment/deployment_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeploymentRequestTest : public testing::Test, protected DeploymentForTest {
 protected:
  static std::string Refusal(const Result<DeploymentStep>& step) {
    EXPECT_FALSE(step.ok());
    if (step.ok()) return "";
    EXPECT_EQ(step.code(), Code::kFailedPrecondition);
    return step.error().message();
  }
};

TEST_F(DeploymentRequestTest, APauseStopsTheClock) {
  Put("old", {.version = 2});
  Put("a", {});
  Watch(100);
  DeploymentStep step = Kept(PauseDeployment(View(200), true));
  EXPECT_EQ(Says(), "paused: Deployment is paused");
  EXPECT_EQ(step.look_again, 0);
  EXPECT_FALSE(Watch(5000).changed);
  Put("a", {.healthy = true, .at = 5000});
  step = Watch(5000);
  EXPECT_FALSE(step.evaluate);
  EXPECT_EQ(group().healthy, 1) << "health is counted in the meantime";
  EXPECT_EQ(Says(), "paused: Deployment is paused");
  step = Kept(PauseDeployment(View(9000), false));
  EXPECT_EQ(Says(), "running: Deployment is running");
  EXPECT_TRUE(step.evaluate);
  EXPECT_EQ(step.look_again, 9600 * kSecond);
  EXPECT_FALSE(Kept(PauseDeployment(View(9001), false)).evaluate) << "it runs already";
}

TEST_F(DeploymentRequestTest, WhatIsDoneEndsAfterThePause) {
  Put("a", {.healthy = true});
  Put("b", {.healthy = true});
  deployment.status = "paused";
  Watch(1);
  EXPECT_EQ(deployment.status, "paused");
  EXPECT_TRUE(Kept(PauseDeployment(View(2), false)).stable);
  EXPECT_EQ(deployment.status, "successful");
}

TEST_F(DeploymentRequestTest, AFailureByRequestGoesBack) {
  AddVersion(2).stable = true;
  EXPECT_FALSE(Kept(FailDeployment(View(1))).revert_to);
  EXPECT_EQ(Says(), "failed: Deployment marked as failed");
  deployment.status = "paused";
  group().auto_revert = true;
  const DeploymentStep step = Kept(FailDeployment(View(1)));
  EXPECT_EQ(step.revert_to, 2u);
  EXPECT_TRUE(step.evaluate);
  EXPECT_EQ(Says(), "failed: Deployment marked as failed - rolling back to job version 2");
}

TEST_F(DeploymentRequestTest, OnlyHealthyCanariesArePromoted) {
  group().desired_canaries = 2;
  deployment.groups["h"] = group();
  group("h").desired_canaries = 1;
  Put("a", {.healthy = true, .canary = true});
  Put("b", {.canary = true});
  Put("c", {.group = "h", .healthy = true, .canary = true});
  EXPECT_EQ(Refusal(PromoteDeployment(View(1), {})),
            "Task group \"g\" has 1/2 healthy allocations");
  EXPECT_EQ(Refusal(PromoteDeployment(View(1), {"x", "g"})),
            "Task group \"x\" is not in the deployment");
  DeploymentStep step = Kept(PromoteDeployment(View(1), {"h"}));
  EXPECT_THAT(step.no_canary, ElementsAre("c"));
  EXPECT_TRUE(step.evaluate);
  EXPECT_TRUE(group("h").promoted);
  EXPECT_FALSE(group("g").promoted);
  EXPECT_EQ(Refusal(PromoteDeployment(View(1), {"h"})), "no canaries to promote");
  Put("b", {.healthy = true, .status = ClientStatus::kFailed, .canary = true});
  EXPECT_EQ(Refusal(PromoteDeployment(View(1), {})),
            "Task group \"g\" has 1/2 healthy allocations");
}

TEST_F(DeploymentRequestTest, APromotionGivesTimeAgain) {
  group().desired_canaries = 1;
  Put("old", {.version = 2});
  Put("a", {.healthy = true, .at = 1, .canary = true});
  Watch(1);
  const DeploymentStep step = Kept(PromoteDeployment(View(100'000), {}));
  EXPECT_EQ(deployment.status, "running");
  EXPECT_EQ(step.look_again, 100'600 * kSecond);
}

TEST_F(DeploymentRequestTest, AVerdictOfPeopleWins) {
  Put("old", {.version = 2});
  Put("a", {.healthy = false});
  Put("b", {});
  const DeploymentStep step = Kept(SetDeploymentHealth(View(50), {"a"}, {"b"}));
  EXPECT_EQ(step.health.at("a"), (AllocHealth{true, 50 * kSecond}));
  EXPECT_EQ(step.health.at("b"), (AllocHealth{false, 50 * kSecond}));
  EXPECT_EQ(group().healthy, 1);
  EXPECT_EQ(group().unhealthy, 1);
  EXPECT_THAT(step.reschedule, ElementsAre("b"));
  EXPECT_TRUE(step.evaluate);
}

TEST_F(DeploymentRequestTest, VerdictsAreForAllocationsOfTheDeployment) {
  Put("old", {.version = 2});
  Put("a", {});
  EXPECT_EQ(Refusal(SetDeploymentHealth(View(1), {"x"}, {})), "unknown alloc \"x\"");
  EXPECT_EQ(Refusal(SetDeploymentHealth(View(1), {}, {"old"})),
            "alloc \"old\" is not part of deployment \"d\"");
  EXPECT_EQ(Refusal(SetDeploymentHealth(View(1), {"a"}, {"a"})),
            "alloc \"a\" is named as healthy and as unhealthy");
  EXPECT_EQ(Refusal(SetDeploymentHealth(View(1), {}, {})),
            "must specify at least one healthy or unhealthy allocation ID");
}

TEST_F(DeploymentRequestTest, AnEndedDeploymentTakesNoRequest) {
  EXPECT_EQ(Refusal(UnblockDeployment(View(1))), "can't unblock deployment that is not blocked");
  for (const char* status : {"successful", "failed", "cancelled"}) {
    deployment.status = status;
    EXPECT_EQ(Refusal(PauseDeployment(View(1), true)), "can't pause terminal deployment");
    EXPECT_EQ(Refusal(PauseDeployment(View(1), false)), "can't resume terminal deployment");
    EXPECT_EQ(Refusal(PromoteDeployment(View(1), {})), "can't promote terminal deployment");
    EXPECT_EQ(Refusal(FailDeployment(View(1))), "can't fail terminal deployment");
    EXPECT_EQ(Refusal(UnblockDeployment(View(1))), "can't unblock terminal deployment");
    EXPECT_EQ(Refusal(SetDeploymentHealth(View(1), {"a"}, {})),
              "can't set health of allocations for a terminal deployment");
  }
}

}  // namespace
}  // namespace drover
