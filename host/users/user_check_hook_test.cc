// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/user_check_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "host/task/runner_fixture.h"

namespace drover {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct UserCheckTest : RunnerTest {
  UserCheckTest() {
    UserRules rules;
    rules.denied = {"root"};
    rules.checked_drivers = {"fake"};
    options.hooks_before_dir.push_back(
        std::make_shared<UserCheckHook>(std::make_shared<const UserRules>(rules), nullptr));
    policy().attempts = 3;
  }
};

TEST_F(UserCheckTest, ADeniedUserFailsTheTaskForGood) {
  task().user = "0";
  Start();
  loop.Advance(10min);
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_EQ(builder.built, 0) << "nothing was made for the user";
  EXPECT_THAT(types, Contains("Task hook failed"));
  EXPECT_THAT(types, Not(Contains("Restarting")));
  std::string why;
  for (const TaskEvent& event : last->events) {
    if (event.type == "Task hook failed") why = DisplayMessage(event);
  }
  EXPECT_THAT(why, HasSubstr("validate: running as user \"0\" is disallowed"));
  Finish();
}

TEST_F(UserCheckTest, AnotherUserStarts) {
  task().user = "1000";
  Start();
  EXPECT_EQ(driver.last_config("web")->user, "1000");
  EXPECT_EQ(runner->local_state().hooks.at("validate"), HookState());
  Kill();
}

// What later hooks add to the environment must not become another user.
TEST_F(UserCheckTest, TheDriverGetsTheUserThatWasChecked) {
  task().user = "${LATER}";
  const auto later = AddHook("later");
  later->response.env = {{"${LATER}", "root"}};  // as FakePreparer replaces it
  Start();
  EXPECT_EQ(driver.last_config("web")->user, "${LATER}");
  EXPECT_EQ(builder.user, "${LATER}");
  Kill();
}

// Its variable may become a denied user after the check.
TEST_F(UserCheckTest, AUserThatBecomesEmptyIsRefused) {
  task().user = "${LATER}";
  const auto later = AddHook("later");
  later->response.env = {{"${LATER}", ""}};  // at the check of the next start
  Start();
  later->response.env = {{"${LATER}", "root"}};
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.Advance(10min);
  EXPECT_EQ(driver.Count("start web"), 1);
  std::string why;
  for (const TaskEvent& event : last->events) {
    if (event.type == "Task hook failed") why = DisplayMessage(event);
  }
  EXPECT_THAT(why, HasSubstr("user \"${LATER}\" is empty after its variables are replaced"));
  Finish();
}

struct UserOfTheAgentTest : RunnerTest {
  UserOfTheAgentTest() {
    options.hooks_before_dir.push_back(
        std::make_shared<UserCheckHook>(std::make_shared<const UserRules>(), nullptr, true));
  }
};

TEST_F(UserOfTheAgentTest, AnEmptyUserIsLeftToTheHookThatGivesOne) {
  task().user = "${LATER}";
  policy().attempts = 1;
  const auto later = AddHook("later");
  later->response.env = {{"${LATER}", ""}};
  Start();
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.Advance(1min);
  EXPECT_EQ(driver.Count("start web"), 2);
  Kill();
}

TEST_F(UserCheckTest, ARunningTaskGoesOn) {
  task().user = "root";
  options.restored.emplace();
  options.restored->local.run_id = RunId::Random();
  options.restored->local.handle = TaskHandle{"fake", "1.0.0", 1, "old"};
  options.restored->state.state = RunnerState::kRunning;
  driver.Plant(*options.restored->local.run_id, "web");
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_THAT(types, Not(Contains("Task hook failed")));
  Kill();
}

}  // namespace
}  // namespace drover
