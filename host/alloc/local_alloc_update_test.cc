// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Updates in place: a running allocation gets a new version of its job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/alloc/alloc_fixture.h"

namespace drover {
namespace {

using Types = std::vector<std::string>;

void ChangeAll(Job* job) {
  job->name = "renamed";
  TaskGroup& group = job->groups[0];
  group.shutdown_delay = 3s;
  Task& task = group.tasks[0];
  task.restart_policy = RestartPolicy{1, 30min, 1s, RestartPolicy::Mode::kFail};
  task.kill_signal = "SIGUSR1";
  task.kill_timeout = 9s;
  task.shutdown_delay = 2s;
  task.log_config.max_files = 3;
}

class AllocUpdateTest : public testing::Test {
 protected:
  AllocUpdateTest() {
    fixture_.keep_records = true;
    fixture_.group().restart_policy = {0, 30min, 1s, RestartPolicy::Mode::kFail};
    fixture_.AddTask("main");
  }

  // Checks that the version of ChangeAll holds for the rest of the life, which has begun before.
  void ExpectChanged(int starts) {
    EXPECT_EQ(fixture_.runner().snapshot()->alloc->job->name, "renamed");
    EXPECT_EQ(fixture_.driver.Count("start main"), starts) << "the task ran on";
    EXPECT_NE(fixture_.driver.last_config("main")->job_name, "renamed") << "it need not notice";
    fixture_.driver.End("main", ExitResult{1, 0, false, ""});
    fixture_.loop.Advance(2s);
    EXPECT_EQ(fixture_.Brief("main"), "running/1") << "the new restart policy allows it";
    const auto config = fixture_.driver.last_config("main");
    EXPECT_EQ(config->job_name, "renamed");
    EXPECT_EQ(config->log_config.max_files, 3);
    fixture_.UpdateToStop();
    fixture_.loop.Advance(4s);
    EXPECT_FALSE(fixture_.runner().ended()) << "the delay of the group, then that of the task";
    EXPECT_EQ(fixture_.driver.Count("stop"), 0);
    EXPECT_TRUE(fixture_.RunToEnd());
    EXPECT_EQ(fixture_.driver.Count("stop main 9s SIGUSR1"), 1);
  }

  AllocFixture fixture_;
};

TEST_F(AllocUpdateTest, ARunningTaskRunsOnAndTheNewVersionHolds) {
  fixture_.Start();
  fixture_.loop.Advance(1s);
  const Types before = fixture_.Events("main");
  fixture_.Update(fixture_.NextVersion(ChangeAll));
  fixture_.loop.Advance(1s);
  EXPECT_EQ(fixture_.Events("main"), before);
  EXPECT_EQ(fixture_.status().status, ClientStatus::kRunning);
  ExpectChanged(1);
}

// The runner hears of both at once.
TEST_F(AllocUpdateTest, AStopRightAfterTheNewVersionIsAsThatVersionSays) {
  fixture_.Start();
  fixture_.loop.Advance(1s);
  fixture_.Update(fixture_.NextVersion(ChangeAll));
  fixture_.UpdateToStop();
  fixture_.loop.Advance(4s);
  EXPECT_FALSE(fixture_.runner().ended()) << "the delay of the group, then that of the task";
  EXPECT_EQ(fixture_.driver.Count("stop"), 0);
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.driver.Count("stop main 9s SIGUSR1"), 1);
}

// The agent dies after the new version was stored, before its runner heard of it.
TEST_F(AllocUpdateTest, TheNextAgentContinuesWithTheNewVersion) {
  fixture_.Start();
  fixture_.loop.Advance(1s);
  EXPECT_TRUE(fixture_.loop.RunToEnd(fixture_.runner().Shutdown()));
  fixture_.NextVersion(ChangeAll);
  fixture_.Restore().Start();
  fixture_.loop.Advance(1s);
  EXPECT_EQ(fixture_.Brief("main"), "running/0");
  ExpectChanged(1);
}

TEST_F(AllocUpdateTest, TheNextAgentCountsTheNewMaxRunDurationFromTheSameStart) {
  fixture_.group().max_run_duration = 10min;
  fixture_.Start();
  fixture_.loop.Advance(4min);
  EXPECT_TRUE(fixture_.loop.RunToEnd(fixture_.runner().Shutdown()));
  fixture_.NextVersion([](Job* job) { job->groups[0].max_run_duration = 5min; });
  fixture_.Restore().Start();
  fixture_.loop.Advance(59s);
  EXPECT_FALSE(fixture_.runner().ended());
  fixture_.loop.Advance(1s);
  EXPECT_TRUE(fixture_.runner().ended());
  EXPECT_EQ(fixture_.status().description, "allocation exceeded max_run_duration");
}

TEST_F(AllocUpdateTest, AMaxRunDurationThatHasPassedEndsItAtOnceAndALongerOneLater) {
  fixture_.group().max_run_duration = 10min;
  fixture_.Start();
  fixture_.loop.Advance(4min);
  fixture_.Update(fixture_.NextVersion([](Job* job) { job->groups[0].max_run_duration = 20min; }));
  fixture_.loop.Advance(15min);
  EXPECT_FALSE(fixture_.runner().ended());
  fixture_.Update(fixture_.NextVersion([](Job* job) { job->groups[0].max_run_duration = 1min; }));
  fixture_.loop.Advance(0s);
  EXPECT_TRUE(fixture_.runner().ended());
  EXPECT_EQ(fixture_.status().description, "allocation exceeded max_run_duration");
}

TEST_F(AllocUpdateTest, WithoutAMaxRunDurationTheAllocationGoesOn) {
  fixture_.group().max_run_duration = 10min;
  fixture_.Start();
  fixture_.Update(
      fixture_.NextVersion([](Job* job) { job->groups[0].max_run_duration = std::nullopt; }));
  fixture_.loop.Advance(1h);
  EXPECT_FALSE(fixture_.runner().ended());
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
}

TEST_F(AllocUpdateTest, TheOrderOfTheTasksHasNoMeaning) {
  fixture_.AddTask("other");
  fixture_.Start();
  fixture_.loop.Advance(1s);
  fixture_.Update(fixture_.NextVersion([](Job* job) {
    std::swap(job->groups[0].tasks[0], job->groups[0].tasks[1]);
    ChangeAll(job);  // of the task that is now the first
  }));
  fixture_.loop.Advance(1s);
  EXPECT_EQ(fixture_.runner().task("other")->task().kill_timeout, 9s);
  EXPECT_EQ(fixture_.runner().task("main")->task().kill_timeout, 5s);
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.driver.Count("stop other 9s SIGUSR1"), 1);
}

TEST_F(AllocUpdateTest, ATaskThatWaitsForItsRestartStartsAsTheNewVersionSays) {
  fixture_.group().restart_policy = {3, 30min, 1min, RestartPolicy::Mode::kFail};
  fixture_.Start();
  fixture_.loop.Advance(1s);
  fixture_.driver.End("main", ExitResult{1, 0, false, ""});
  fixture_.loop.RunReady();
  EXPECT_EQ(fixture_.Brief("main"), "pending/1");
  fixture_.Update(fixture_.NextVersion([](Job* job) { job->name = "renamed"; }));
  fixture_.loop.Advance(2min);
  EXPECT_EQ(fixture_.Brief("main"), "running/1");
  EXPECT_EQ(fixture_.driver.last_config("main")->job_name, "renamed");
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
}

}  // namespace
}  // namespace drover
