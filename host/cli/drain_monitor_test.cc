// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/drain_monitor.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

json AllocOf(const std::string& id, const std::string& client, bool migrates = false,
             bool stops = false, const std::string& type = "service") {
  return {{"ID", id},
          {"ClientStatus", client},
          {"DesiredStatus", stops ? "stop" : "run"},
          {"DesiredTransition", {{"Migrate", migrates ? json(true) : json(nullptr)}}},
          {"Job", {{"Type", type}}}};
}

TEST(DrainChangesTest, AllocationsLeaveStepByStep) {
  DrainChanges changes;
  EXPECT_THAT(changes.Take({AllocOf("a", "running"), AllocOf("b", "running")}), IsEmpty());
  EXPECT_EQ(changes.leaving(), 0u);
  EXPECT_THAT(changes.Take({AllocOf("a", "running", true), AllocOf("b", "running")}),
              ElementsAre("Alloc \"a\" marked for migration"));
  EXPECT_EQ(changes.leaving(), 1u);
  EXPECT_THAT(changes.Take({AllocOf("a", "running", true, true), AllocOf("b", "running")}),
              ElementsAre("Alloc \"a\" draining"));
  EXPECT_THAT(changes.Take({AllocOf("a", "complete", true, true), AllocOf("b", "running")}),
              ElementsAre("Alloc \"a\" status running -> complete"));
  EXPECT_EQ(changes.leaving(), 0u);
  EXPECT_THAT(changes.Take({AllocOf("a", "complete", true, true), AllocOf("b", "running")}),
              IsEmpty());
}

TEST(DrainChangesTest, StepsThatWereNotSeenAreShownInTheirOrder) {
  DrainChanges changes;
  changes.Take(json::array({AllocOf("a", "running")}));
  EXPECT_THAT(changes.Take(json::array({AllocOf("a", "failed", true, true)})),
              ElementsAre("Alloc \"a\" marked for migration", "Alloc \"a\" draining",
                          "Alloc \"a\" status running -> failed"));
}

TEST(DrainChangesTest, WhatHasAlreadyEndedIsNoChange) {
  DrainChanges changes;
  EXPECT_THAT(changes.Take(json::array({AllocOf("a", "complete", true, true)})), IsEmpty());
  EXPECT_EQ(changes.leaving(), 0u);
}

TEST(DrainChangesTest, SystemJobsMayBeLeftOut) {
  DrainChanges changes;
  changes.IgnoreSystem();
  changes.Take(json::array({AllocOf("a", "running", false, false, "system")}));
  EXPECT_THAT(changes.Take(json::array({AllocOf("a", "running", true, true, "system")})),
              IsEmpty());
  EXPECT_EQ(changes.leaving(), 0u);
}

TEST(DrainChangesTest, AnAnswerOfAnotherFormIsHarmless) {
  DrainChanges changes;
  EXPECT_THAT(changes.Take(json("x")), IsEmpty());
  EXPECT_THAT(changes.Take({7, nullptr, {{"ID", 3}, {"DesiredTransition", "x"}}}), IsEmpty());
}

}  // namespace
}  // namespace drover
