// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/task/runner_fixture.h"

namespace drover {
namespace {

using ::testing::ElementsAre;

// A loop whose wall clock can be set.
struct WallLoop : SimLoop {
  WallTime Wall() const override { return SimLoop::Wall() + shift.count(); }
  Duration shift{0};
};

// Answers no call before its context ends.
struct HangingStore : LocalStateStore {
  Co<Status> SaveLocalState(Context context, std::string,
                            std::shared_ptr<const LocalState>) override {
    co_await context.Cancelled();
    co_return context.status();
  }
};

class TaskJournalTest : public testing::Test, public TaskObserver {
 protected:
  TaskJournalTest() {
    options_.task_name = "web";
    options_.store = &store_;
    options_.observer = this;
    options_.report = [this](const Error& error) { reports_.push_back(error.message()); };
  }

  TaskJournal& Make(std::optional<TaskRecords> restored = std::nullopt) {
    journal_.emplace(&loop_, options_, std::move(restored));
    return *journal_;
  }
  void OnTaskState(const std::string& task, TaskSnapshot state) override {
    EXPECT_EQ(task, "web");
    published_.push_back(std::move(state));
  }
  std::vector<std::string> Types() const {
    std::vector<std::string> types;
    for (const TaskEvent& event : journal_->state().events) types.push_back(event.type);
    return types;
  }
  static std::shared_ptr<const TaskConfig> MakeConfig() {
    auto config = std::make_shared<TaskConfig>();
    config->run_id = RunId::Random();
    config->id = "alloc/web/1";
    return config;
  }
  Status Save(Duration limit) {
    std::optional<Status> saved;
    auto save = [](TaskJournal* journal, Duration time, std::optional<Status>* out) -> Co<void> {
      const Status status = co_await journal->Save(time);
      out->emplace(status);
    };
    EXPECT_TRUE(loop_.RunToEnd(save(&*journal_, limit, &saved)));
    return saved.value_or(Status(Error(Code::kInternal, "no answer")));
  }

  WallLoop loop_;
  FakeStore store_;
  HangingStore hanging_;
  TaskJournalOptions options_;
  std::optional<TaskJournal> journal_;
  std::vector<TaskSnapshot> published_;
  std::vector<std::string> reports_;
};

TEST_F(TaskJournalTest, ANewTaskWasReceived) {
  const TaskJournal& journal = Make();
  EXPECT_FALSE(journal.restored());
  EXPECT_THAT(Types(), ElementsAre("Received"));
  EXPECT_EQ(*journal.snapshot(), journal.state());
  EXPECT_TRUE(published_.empty()) << "whoever made the runner reads its first snapshot";
}

TEST_F(TaskJournalTest, RestoredRecordsContinue) {
  TaskRecords records;
  records.state.state = RunnerState::kRunning;
  records.state.restarts = 3;
  records.local.wish = RunWish::kRestart;
  const TaskJournal& journal = Make(records);
  EXPECT_TRUE(journal.restored());
  EXPECT_EQ(journal.state(), records.state);
  EXPECT_EQ(journal.local().wish, RunWish::kRestart);
  EXPECT_TRUE(published_.empty());
}

TEST_F(TaskJournalTest, EachChangeIsPublishedAsAnObjectOfItsOwn) {
  TaskJournal& journal = Make();
  journal.SetState(RunnerState::kRunning, TaskEvent(event_type::kStarted));
  ASSERT_EQ(published_.size(), 1u) << "state and event are one change";
  journal.Emit(TaskEvent(event_type::kDriver));
  journal.SetState(RunnerState::kDead);
  ASSERT_EQ(published_.size(), 3u);
  EXPECT_EQ(published_[0]->state, RunnerState::kRunning);
  EXPECT_EQ(published_[0]->events.size(), 2u) << "later changes do not reach it";
  EXPECT_EQ(published_[1]->events.size(), 3u);
  EXPECT_EQ(published_[2]->state, RunnerState::kDead);
  EXPECT_EQ(published_[2], journal.snapshot());
}

TEST_F(TaskJournalTest, ATaskIsDeadSinceItsExit) {
  TaskJournal& journal = Make();
  journal.SetState(RunnerState::kRunning);
  ExitResult exit;
  exit.ended_at = loop_.Wall();
  journal.SetExit(exit);
  loop_.Advance(5s);
  journal.SetState(RunnerState::kDead);
  EXPECT_EQ(journal.state().finished_at, exit.ended_at);
}

TEST_F(TaskJournalTest, ATaskWithoutAKnownExitIsDeadSinceNow) {
  TaskJournal& journal = Make();
  loop_.Advance(5s);
  journal.SetState(RunnerState::kDead);
  EXPECT_EQ(journal.state().finished_at, loop_.Wall());
}

TEST_F(TaskJournalTest, EventsBeforeTheLastStartDoNotCount) {
  TaskJournal& journal = Make();
  journal.Emit(TaskEvent(event_type::kKilling));
  EXPECT_TRUE(journal.HasReported(event_type::kKilling));
  journal.Emit(TaskEvent(event_type::kStarted));
  EXPECT_FALSE(journal.HasReported(event_type::kKilling));
  EXPECT_TRUE(journal.HasReported(event_type::kStarted));
  EXPECT_TRUE(journal.LastReported(event_type::kStarted));
  journal.Emit(TaskEvent(event_type::kKilling));
  EXPECT_TRUE(journal.HasReported(event_type::kKilling));
  EXPECT_FALSE(journal.LastReported(event_type::kStarted));
}

TEST_F(TaskJournalTest, TheNextAgentGoesOnCounting) {
  TaskJournal& journal = Make();
  EXPECT_EQ(journal.attempts().count, 0);
  EXPECT_EQ(journal.attempts().interval_start, loop_.Now());
  const TimePoint begun = loop_.Now();
  journal.SetAttempts({2, begun});
  loop_.Advance(1min);
  const TaskJournal& next = Make(TaskRecords{journal.state(), {}});
  EXPECT_EQ(next.attempts().count, 2);
  EXPECT_EQ(next.attempts().interval_start, begun);
}

TEST_F(TaskJournalTest, NoIntervalBeginsInTheFuture) {
  TaskJournal& journal = Make();
  journal.SetAttempts({2, loop_.Now()});
  loop_.shift = -1h;
  EXPECT_EQ(journal.attempts().count, 2);
  EXPECT_EQ(journal.attempts().interval_start, loop_.Now());
}

TEST_F(TaskJournalTest, ARunBeginsWithoutHandleAndExit) {
  TaskJournal& journal = Make();
  journal.SetHandle(TaskHandle());
  journal.SetExit(ExitResult());
  const auto config = MakeConfig();
  journal.BeginRun(config);
  EXPECT_EQ(journal.local().run_id, config->run_id);
  EXPECT_EQ(journal.local().task_config_id, config->id);
  EXPECT_EQ(journal.local().config, config);
  EXPECT_FALSE(journal.local().handle);
  EXPECT_FALSE(journal.local().exit);
}

TEST_F(TaskJournalTest, AnotherWishBeginsAnew) {
  TaskJournal& journal = Make();
  journal.SetWish(RunWish::kRestart);
  journal.BeginShutdownDelay(3s);
  journal.BeginStop();
  EXPECT_EQ(journal.local().delay_until, loop_.Now() + 3s);
  EXPECT_EQ(journal.local().stop_since, loop_.Now());
  journal.SetWish(RunWish::kKill);
  EXPECT_EQ(journal.local().wish, RunWish::kKill);
  EXPECT_FALSE(journal.local().delay_until);
  EXPECT_FALSE(journal.local().stop_since);
}

TEST_F(TaskJournalTest, AForgottenRunLeavesWhatBelongsToTheTask) {
  TaskJournal& journal = Make();
  (*journal.hooks())["hook"].prestart_done = true;
  journal.BeginRun(MakeConfig());
  journal.SetHandle(TaskHandle());
  journal.SetNetwork(DriverNetwork());
  journal.SetWish(RunWish::kKill);
  journal.BeginStop();
  journal.SetExit(ExitResult());
  journal.SetComplete();
  journal.ForgetRun();
  const LocalState& local = journal.local();
  EXPECT_FALSE(local.run_id || local.config || local.handle || local.exit || local.stop_since);
  EXPECT_EQ(local.task_config_id, "");
  EXPECT_EQ(local.wish, RunWish::kNone);
  EXPECT_TRUE(local.hooks.at("hook").prestart_done);
  EXPECT_TRUE(local.network);
  EXPECT_TRUE(local.run_complete);
}

TEST_F(TaskJournalTest, ACopyIsStored) {
  TaskJournal& journal = Make();
  journal.SetWish(RunWish::kRestart);
  EXPECT_TRUE(Save(1s).ok());
  journal.SetWish(RunWish::kKill);
  ASSERT_EQ(store_.saved.size(), 1u);
  EXPECT_EQ(store_.saved[0]->wish, RunWish::kRestart);
}

TEST_F(TaskJournalTest, WithoutAStoreEverySaveSucceeds) {
  options_.store = nullptr;
  Make();
  EXPECT_TRUE(Save(1s).ok());
}

TEST_F(TaskJournalTest, AStoreThatHangsIsWaitedForUpToTheLimit) {
  options_.store = &hanging_;
  Make();
  const TimePoint begun = loop_.Now();
  EXPECT_EQ(Save(250ms).code(), Code::kTimeout);
  EXPECT_EQ(loop_.Now() - begun, 250ms);
}

TEST_F(TaskJournalTest, AFailedSaveIsReported) {
  store_.error = Error(Code::kUnavailable, "the disk is full");
  Make();
  EXPECT_TRUE(loop_.RunToEnd(journal_->SaveOrReport()));
  EXPECT_THAT(reports_, ElementsAre("the disk is full"));
}

}  // namespace
}  // namespace drover
