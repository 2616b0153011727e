// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/restart_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

json Stub(const std::string& id, const std::string& client = "running",
          const std::string& desired = "run", const std::string& next = "") {
  return {{"ID", id},
          {"TaskGroup", "g"},
          {"JobVersion", 2},
          {"ClientStatus", client},
          {"DesiredStatus", desired},
          {"NextAllocation", next}};
}

json Versions() {
  return json::parse(R"({"Versions": [
      {"Version": 2, "TaskGroups": [{"Name": "g", "Tasks": [{"Name": "a"}, {"Name": "b"}]},
                                    {"Name": "h", "Tasks": [{"Name": "c"}]}]}]})");
}

std::vector<std::string> Chosen(const json& stubs, const RestartOptions& options = {}) {
  std::vector<std::string> ids, skipped;
  for (const ChosenAlloc& one : ChooseAllocs(stubs, Versions(), options, &skipped)) {
    ids.push_back(one.id);
  }
  EXPECT_EQ(ids.size() + skipped.size(), stubs.size());
  return ids;
}

TEST(ChooseAllocsTest, ThoseThatRunOrShallRunAndHaveNoReplacement) {
  const json stubs = {Stub("runs"),
                      Stub("pends", "pending"),
                      Stub("stops", "running", "stop"),
                      Stub("ended", "complete", "stop"),
                      Stub("failed", "failed", "run"),
                      Stub("replaced", "failed", "run", "other")};
  EXPECT_THAT(Chosen(stubs), ElementsAre("runs", "pends", "stops", "failed"));
  std::vector<std::string> skipped;
  (void)ChooseAllocs(stubs, Versions(), {}, &skipped);
  EXPECT_THAT(skipped, ElementsAre("Skipping allocation \"ended\": it is complete, and shall stop",
                                   "Skipping allocation \"replaced\": it is replaced by other"));
}

TEST(ChooseAllocsTest, GroupsAreChosenBeforeTasks) {
  json other = Stub("h");
  other["TaskGroup"] = "h";
  const json stubs = {Stub("g"), other};
  RestartOptions options;
  options.groups = {"h"};
  EXPECT_THAT(Chosen(stubs, options), ElementsAre("h"));
  options.tasks = {"a"};
  EXPECT_THAT(Chosen(stubs, options), IsEmpty());
  options.groups.clear();
  options.tasks = {"b", "c"};
  std::vector<std::string> skipped;
  EXPECT_THAT(ChooseAllocs(stubs, Versions(), options, &skipped),
              ElementsAre(ChosenAlloc{"g", "g", {"b"}}, ChosenAlloc{"h", "h", {"c"}}));
}

TEST(ChooseAllocsTest, AVersionThatIsForgottenLeavesTheStatesOfTheTasks) {
  json old = Stub("old");
  old["JobVersion"] = 1;
  old["TaskStates"] = {{"a", json::object()}};
  RestartOptions options;
  options.tasks = {"a"};
  EXPECT_THAT(Chosen(json::array({old}), options), ElementsAre("old"));
  options.tasks = {"b"};
  EXPECT_THAT(Chosen(json::array({old}), options), IsEmpty());
}

TEST(ChooseAllocsTest, AnAnswerOfAnotherFormIsNoMistake) {
  std::vector<std::string> skipped;
  EXPECT_THAT(ChooseAllocs(json(), json(), {}, &skipped), IsEmpty());
  EXPECT_THAT(ChooseAllocs(json::array({7, json::object()}), json(), {}, &skipped), IsEmpty());
}

class ReplacementTest : public ::testing::Test {
 protected:
  using Kind = ReplacementState::Kind;

  ReplacementState State() const { return StateOfReplacement({"a", "g", {}}, stubs_, evals_, 10); }

  json stubs_ = json::array({Stub("a", "running", "stop")});
  json evals_ = json::array();
};

TEST_F(ReplacementTest, ItsReplacementIsFollowed) {
  EXPECT_EQ(State().kind, Kind::kWaits);
  stubs_[0]["NextAllocation"] = "b";
  EXPECT_EQ(State().kind, Kind::kWaits) << "the list is older";
  stubs_.push_back(Stub("b", "pending"));
  EXPECT_EQ(State().kind, Kind::kWaits);
  stubs_[1]["ClientStatus"] = "running";
  EXPECT_EQ(State().kind, Kind::kRuns);
  EXPECT_EQ(State().text, "b");
}

TEST_F(ReplacementTest, AReplacementThatFailsMayBeReplacedInTurn) {
  stubs_[0]["NextAllocation"] = "b";
  stubs_.push_back(Stub("b", "failed"));
  EXPECT_EQ(State().text, "the replacement b is failed");
  stubs_[1]["FollowupEvalID"] = "later";
  EXPECT_EQ(State().kind, Kind::kWaits);
  stubs_[1]["NextAllocation"] = "c";
  stubs_.push_back(Stub("c"));
  EXPECT_EQ(State().text, "c");
  stubs_[2] = Stub("c", "pending", "stop");
  EXPECT_EQ(State().text, "the replacement c was stopped");
}

TEST_F(ReplacementTest, WhatHasNoRoomIsNotWaitedFor) {
  evals_.push_back({{"ID", "e"}, {"Status", "blocked"}, {"CreateIndex", 10}});
  evals_[0]["FailedTGAllocs"] = {{"g", json::object()}};
  EXPECT_EQ(State().kind, Kind::kWaits) << "it was made before the stop";
  evals_[0]["CreateIndex"] = 11;
  EXPECT_TRUE(State().no_room);
  EXPECT_EQ(State().text, "the replacement cannot be placed: see drover eval status e");
  evals_[0]["FailedTGAllocs"] = {{"other", json::object()}};
  EXPECT_EQ(State().kind, Kind::kWaits);
}

TEST_F(ReplacementTest, AJobThatNeedsNoneIsNotWaitedForWithoutEnd) {
  evals_.push_back({{"ID", "before"}, {"Status", "complete"}, {"CreateIndex", 9}});
  EXPECT_EQ(State().kind, Kind::kWaits);
  evals_.push_back({{"ID", "e"}, {"Status", "pending"}, {"CreateIndex", 10}});
  EXPECT_EQ(State().kind, Kind::kWaits);
  evals_.push_back({{"ID", "stop of the job"}, {"Status", "complete"}, {"CreateIndex", 11}});
  EXPECT_EQ(State().kind, Kind::kWaits) << "one of them has not looked yet";
  evals_[1]["Status"] = "complete";
  EXPECT_EQ(State().kind, Kind::kFailed);
  EXPECT_EQ(State().text, "the job needs no replacement any more");
  stubs_[0]["NextAllocation"] = "b";
  EXPECT_EQ(State().kind, Kind::kWaits) << "the list is older";
  stubs_.push_back(Stub("b", "pending"));
  EXPECT_EQ(State().kind, Kind::kWaits);
}

TEST_F(ReplacementTest, ACircleEnds) {
  stubs_[0]["NextAllocation"] = "b";
  stubs_.push_back(Stub("b", "pending", "run", "a"));
  EXPECT_EQ(State().kind, Kind::kWaits);
  stubs_.clear();
  EXPECT_EQ(State().text, "the allocation is gone");
}

}  // namespace
}  // namespace drover
