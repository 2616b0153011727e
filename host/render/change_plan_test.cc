// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/change_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using OnChange = TaskTemplate::ChangeMode;

TaskTemplate Of(OnChange mode, Duration splay = 5s, const std::string& signal = "") {
  TaskTemplate of;
  of.change_mode = mode;
  of.splay = splay;
  of.change_signal = signal;
  if (mode == OnChange::kScript) of.script = TemplateScript{"/bin/a"};
  return of;
}

TEST(ChangePlanTest, WithoutAChangeThereIsNothingToDo) {
  const std::vector<TaskTemplate> list = {Of(OnChange::kRestart),
                                          Of(OnChange::kSignal, 5s, "SIGHUP")};
  EXPECT_TRUE(PlanChanges(list, {"a", "b"}, {"a", "b"}).empty());
  EXPECT_TRUE(PlanChanges(list, {"", ""}, {"a", ""}).empty());
}

TEST(ChangePlanTest, ARestartWinsOverAllElse) {
  const std::vector<TaskTemplate> list = {Of(OnChange::kSignal, 9s, "SIGHUP"),
                                          Of(OnChange::kScript), Of(OnChange::kRestart, 1s)};
  const ChangePlan plan = PlanChanges(list, {"b", "b", "b"}, {"a", "a", "a"});
  EXPECT_TRUE(plan.restart);
  EXPECT_TRUE(plan.signals.empty());
  EXPECT_TRUE(plan.scripts.empty());
  EXPECT_EQ(plan.splay, 9s);
}

TEST(ChangePlanTest, EachSignalIsSentOnceAndEachScriptRuns) {
  const std::vector<TaskTemplate> list = {
      Of(OnChange::kSignal, 1s, "SIGHUP"), Of(OnChange::kSignal, 2s, "SIGHUP"),
      Of(OnChange::kSignal, 30s, "SIGUSR1"), Of(OnChange::kScript, 3s), Of(OnChange::kScript, 0s)};
  const ChangePlan plan = PlanChanges(list, {"b", "b", "a", "b", "b"}, {"a", "a", "a", "a", "a"});
  EXPECT_FALSE(plan.restart);
  EXPECT_THAT(plan.signals, ElementsAre("SIGHUP"));
  EXPECT_THAT(plan.scripts, SizeIs(2));
  EXPECT_EQ(plan.splay, 3s);
}

TEST(ChangePlanTest, NoopDoesNothing) {
  EXPECT_TRUE(PlanChanges({Of(OnChange::kNoop)}, {"b"}, {"a"}).empty());
}

}  // namespace
}  // namespace drover
