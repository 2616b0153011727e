// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/task/runner_fixture.h"
#include "host/task/task_record.h"

// What a driver tells about a running task.
namespace drover {
namespace {

using testing::Contains;

struct RunnerNewsTest : RunnerTest {
  RunId Id() { return driver.last_config("web")->run_id; }
  void Tell(TaskNews::What what) {
    driver.Tell(Id(), std::move(what));
    loop.RunReady();
  }
  void TellText(std::string text) {
    TaskNews::What what;
    what.texts.push_back(std::move(text));
    Tell(std::move(what));
  }
  long Events(std::string_view type) const {
    return std::ranges::count_if(state()->events,
                                 [&](const TaskEvent& event) { return event.type == type; });
  }
};

TEST_F(RunnerNewsTest, ANewHandleIsStored) {
  Start();
  TaskNews::What what;
  what.handle = TaskHandle{"mock", "1", 1, "new bytes"};
  Tell(what);
  ASSERT_TRUE(store.saved.back()->handle);
  EXPECT_EQ(store.saved.back()->handle->state, "new bytes");
  const std::size_t saved = store.saved.size();
  loop.Advance(2s);
  Tell(what);  // no change, no record
  EXPECT_EQ(store.saved.size(), saved);
  Kill();
}

// A recovery returns a newer handle while the news wait for their turn.
TEST_F(RunnerNewsTest, AHandleOfARecoveryIsNotReplacedByOlderNews) {
  Start();
  TaskNews::What what;
  what.texts = {"the first news are carried out at once"};
  Tell(what);
  what.handle = TaskHandle{"mock", "1", 1, "older"};
  Tell(what);
  EXPECT_EQ(runner->local_state().handle->state, "older");
  driver.ReplaceHandle("web", TaskHandle{"mock", "1", 1, "newer"});
  loop.Advance(2s);
  EXPECT_EQ(runner->local_state().handle->state, "newer");
  EXPECT_EQ(store.saved.back()->handle->state, "newer");
  Kill();
}

TEST_F(RunnerNewsTest, ANewNetworkIsStoredAndShown) {
  Start();
  TaskNews::What what;
  what.network = DriverNetwork{{{"http", 80}}, "10.1.2.3", true};
  Tell(what);
  EXPECT_EQ(runner->local_state().network, what.network);
  EXPECT_EQ(store.saved.back()->network, what.network);
  EXPECT_EQ(types.back(), "Driver");
  EXPECT_EQ(DisplayMessage(state()->events.back()), "Task network changed to 10.1.2.3");
  Kill();
}

TEST_F(RunnerNewsTest, HealthAndPauseAreShownOnce) {
  Start();
  TaskNews::What what;
  what.healthy = false;
  what.paused = true;
  what.texts = {"no heartbeat"};
  Tell(what);
  EXPECT_TRUE(state()->unhealthy);
  EXPECT_TRUE(state()->paused);
  EXPECT_EQ(Events("Driver"), 1);
  loop.Advance(2s);
  what.texts.clear();
  Tell(what);
  EXPECT_EQ(Events("Driver"), 1);
  loop.Advance(2s);
  what.healthy = true;
  what.paused = false;
  Tell(what);
  EXPECT_FALSE(state()->unhealthy);
  EXPECT_FALSE(state()->paused);
  EXPECT_THAT(types, Contains("Resumed"));
  EXPECT_FALSE(DecodeTaskState(EncodeTaskState(*state()))->unhealthy);
  Kill();
}

TEST_F(RunnerNewsTest, AFloodOfNewsCostsFewEventsAndRecords) {
  Start();
  const std::size_t saved = store.saved.size();
  for (int i = 0; i < 1000; ++i) {
    TaskNews::What what;
    what.handle = TaskHandle{"mock", "1", 1, std::to_string(i)};
    what.texts = {"text " + std::to_string(i)};
    Tell(std::move(what));
  }
  EXPECT_LE(store.saved.size(), saved + 1);
  EXPECT_EQ(Events("Driver"), 1);
  loop.Advance(2s);
  EXPECT_LE(store.saved.size(), saved + 2);
  EXPECT_EQ(runner->local_state().handle->state, "999") << "the newest counts";
  EXPECT_LE(Events("Driver"), 1 + 3);
  Kill();
}

TEST_F(RunnerNewsTest, NewsOfARunThatHasEndedChangeNothing) {
  Start();
  const RunId id = Id();
  Kill();
  const auto before = types;
  TaskNews::What what;
  what.healthy = false;
  driver.Tell(id, std::move(what));
  loop.RunReady();
  EXPECT_EQ(types, before);
}

}  // namespace
}  // namespace drover
