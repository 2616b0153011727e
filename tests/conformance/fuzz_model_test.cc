// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The reference model of random sequences, and how their steps are made.
#include "host/conformance/fuzz/fuzz_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "host/conformance/fuzz/fuzz.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

FuzzStep StepOf(FuzzVerb verb) {
  FuzzStep step;
  step.verb = verb;
  return step;
}

FuzzAnswer Said(Code code) {
  FuzzAnswer answer;
  if (code != Code::kOk) answer.status = Error(code, "said so");
  return answer;
}

FuzzAnswer SaidState(TaskState state, std::optional<int> exit_code = std::nullopt) {
  FuzzAnswer answer;
  answer.state = state;
  if (exit_code) answer.end = ExitResult{*exit_code, 0, false, ""};
  return answer;
}

FuzzAnswer GivenUp() {
  FuzzAnswer answer;
  answer.given_up = true;
  return answer;
}

class FuzzModelTest : public testing::Test {
 protected:
  void Permit(FuzzVerb verb, const FuzzAnswer& answer) {
    EXPECT_EQ(model_.Judge(StepOf(verb), answer), "");
  }
  void Refuse(FuzzVerb verb, const FuzzAnswer& answer, const std::string& why) {
    FuzzModel copy = model_;
    EXPECT_THAT(copy.Judge(StepOf(verb), answer), HasSubstr(why));
  }

  FuzzModel model_{/*keeps_ends=*/true};
};

TEST_F(FuzzModelTest, AnUnknownRunIsNotFound) {
  for (const FuzzVerb verb :
       {FuzzVerb::kRecover, FuzzVerb::kWait, FuzzVerb::kStop, FuzzVerb::kSignal, FuzzVerb::kInspect,
        FuzzVerb::kDestroy, FuzzVerb::kDestroyForce}) {
    Permit(verb, Said(Code::kNotFound));
    Refuse(verb, Said(Code::kOk), "must be E_NOT_FOUND");
    Refuse(verb, Said(Code::kInternal), "must be E_NOT_FOUND");
  }
  Permit(FuzzVerb::kStats, Said(Code::kUnimplemented));
  Refuse(FuzzVerb::kExec, Said(Code::kOk), "must be an error");
  Refuse(FuzzVerb::kStart, Said(Code::kFailedPrecondition), "must be OK");
}

TEST_F(FuzzModelTest, ARunningTaskIsKnown) {
  Permit(FuzzVerb::kStart, Said(Code::kOk));
  Refuse(FuzzVerb::kStart, Said(Code::kOk), "must be E_FAILED_PRECONDITION");
  Permit(FuzzVerb::kStart, Said(Code::kFailedPrecondition));
  Permit(FuzzVerb::kRecover, SaidState(TaskState::kRunning));
  Refuse(FuzzVerb::kRecover, SaidState(TaskState::kExited), "the state of the task");
  Permit(FuzzVerb::kInspect, SaidState(TaskState::kRunning));
  Refuse(FuzzVerb::kInspect, SaidState(TaskState::kExited, 0), "the state of the task");
  Refuse(FuzzVerb::kInspect, SaidState(TaskState::kRunning, 0), "a result of a task that runs");
  Refuse(FuzzVerb::kInspect, Said(Code::kNotFound), "it must know the run");
  Refuse(FuzzVerb::kSignal, Said(Code::kNotFound), "must be OK");
  Refuse(FuzzVerb::kWait, SaidState(TaskState::kUnknown, 0), "given when the task ends");
  Permit(FuzzVerb::kWait, GivenUp());
  Permit(FuzzVerb::kDestroy, Said(Code::kFailedPrecondition));
  Refuse(FuzzVerb::kDestroy, Said(Code::kOk), "must be E_FAILED_PRECONDITION");
  Permit(FuzzVerb::kDestroyForce, Said(Code::kOk));
  EXPECT_TRUE(model_.IsUnknown(0));
}

TEST_F(FuzzModelTest, ATaskEndsOnceAndInOneWay) {
  Permit(FuzzVerb::kStart, Said(Code::kOk));
  Permit(FuzzVerb::kStop, Said(Code::kOk));
  EXPECT_TRUE(model_.IsEnded(0));
  Refuse(FuzzVerb::kInspect, SaidState(TaskState::kExited), "no result");
  Permit(FuzzVerb::kInspect, SaidState(TaskState::kExited, 130));
  Permit(FuzzVerb::kWait, SaidState(TaskState::kUnknown, 130));
  Refuse(FuzzVerb::kWait, SaidState(TaskState::kUnknown, 0), "before it had ended with code 130");
  Refuse(FuzzVerb::kWait, GivenUp(), "must be OK");
  Permit(FuzzVerb::kSignal, Said(Code::kFailedPrecondition));
  Refuse(FuzzVerb::kSignal, Said(Code::kTimeout), "given in time");
  Permit(FuzzVerb::kDestroy, Said(Code::kOk));
  Permit(FuzzVerb::kInspect, Said(Code::kNotFound));
}

TEST_F(FuzzModelTest, ATaskThatEndsByItselfMayHaveEnded) {
  FuzzStep start = StepOf(FuzzVerb::kStart);
  start.ends = true;
  EXPECT_EQ(model_.Judge(start, Said(Code::kOk)), "");
  Permit(FuzzVerb::kInspect, SaidState(TaskState::kRunning));
  Permit(FuzzVerb::kWait, GivenUp());
  Permit(FuzzVerb::kInspect, SaidState(TaskState::kExited, 7));
  Refuse(FuzzVerb::kInspect, SaidState(TaskState::kRunning), "the state of the task");
}

TEST_F(FuzzModelTest, ACallThatWasGivenUpHasTakenEffectOrNot) {
  Permit(FuzzVerb::kStart, GivenUp());
  FuzzModel other = model_;
  EXPECT_EQ(other.Judge(StepOf(FuzzVerb::kDestroyForce), Said(Code::kNotFound)), "");
  Permit(FuzzVerb::kDestroyForce, Said(Code::kOk));
  EXPECT_TRUE(model_.IsUnknown(0));
  Permit(FuzzVerb::kStart, Said(Code::kOk));
  Permit(FuzzVerb::kStop, GivenUp());
  EXPECT_FALSE(model_.IsEnded(0));
  Permit(FuzzVerb::kInspect, SaidState(TaskState::kExited, 130));
  Permit(FuzzVerb::kDestroy, GivenUp());
  Permit(FuzzVerb::kInspect, Said(Code::kNotFound));
}

TEST_F(FuzzModelTest, OnlyAnInstanceOfProcessesKeepsEnds) {
  FuzzModel forgets(/*keeps_ends=*/false);
  for (FuzzModel* model : {&model_, &forgets}) {
    EXPECT_EQ(model->Judge(StepOf(FuzzVerb::kStart), Said(Code::kOk)), "");
    EXPECT_EQ(model->Judge(StepOf(FuzzVerb::kStop), Said(Code::kOk)), "");
    model->Reloaded();
  }
  Refuse(FuzzVerb::kRecover, SaidState(TaskState::kRunning), "the state of the task");
  EXPECT_EQ(forgets.Judge(StepOf(FuzzVerb::kRecover), SaidState(TaskState::kRunning)), "");
}

TEST_F(FuzzModelTest, AnOpenWaitTellsTheEnd) {
  Permit(FuzzVerb::kStart, Said(Code::kOk));
  FuzzModel copy = model_;
  EXPECT_THAT(copy.JudgeOpenWait(0, SaidState(TaskState::kUnknown, 0)),
              HasSubstr("a wait of run 1 that was called before"));
  Permit(FuzzVerb::kStop, Said(Code::kOk));
  EXPECT_EQ(model_.JudgeOpenWait(0, SaidState(TaskState::kUnknown, 130)), "");
}

TEST(FuzzStepsTest, ASeedMeansTheSameStepsAndAShorterSequenceIsABeginning) {
  const FuzzOffers all{true, true, true, true};
  const std::vector<FuzzStep> whole = MakeFuzzSteps(4711, 200, all);
  const std::vector<FuzzStep> begin = MakeFuzzSteps(4711, 50, all);
  EXPECT_TRUE(std::equal(begin.begin(), begin.end(), whole.begin()));
  EXPECT_NE(MakeFuzzSteps(4712, 200, all), whole);
  std::set<FuzzVerb> verbs;
  for (const FuzzStep& step : whole) verbs.insert(step.verb);
  EXPECT_EQ(verbs.size(), 12u);
  for (const FuzzStep& step : MakeFuzzSteps(4711, 200, FuzzOffers())) {
    EXPECT_NE(step.verb, FuzzVerb::kSignal);
    EXPECT_NE(step.verb, FuzzVerb::kStats);
    EXPECT_NE(step.verb, FuzzVerb::kExec);
    EXPECT_FALSE(step.ends);
  }
}

// The host never leaves a start or a destroy half done.
TEST(FuzzStepsTest, ADestroyFollowsAStartThatWasGivenUp) {
  const std::vector<FuzzStep> steps = MakeFuzzSteps(1, 500, FuzzOffers{true, true, true, true});
  int given_up = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i].verb != FuzzVerb::kStart || steps[i].give_up == Duration(0)) continue;
    ++given_up;
    EXPECT_EQ(steps[i + 1].verb, FuzzVerb::kDestroyForce);
    EXPECT_EQ(steps[i + 1].run, steps[i].run);
    EXPECT_EQ(steps[i + 1].give_up, Duration(0));
  }
  EXPECT_GT(given_up, 3);
}

TEST(FuzzStepsTest, SeedsOfSequencesDiffer) {
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 1000; ++i) seeds.insert(FuzzSeed(1, i));
  EXPECT_EQ(seeds.size(), 1000u);
  EXPECT_EQ(FuzzSeed(1, 0), FuzzSeed(1, 0));
}

}  // namespace
}  // namespace drover
