// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/prepare/prepared_things.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace drover {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using SharedConfig = std::shared_ptr<const TaskConfig>;

// A driver in simulated time. The key of a task is its name.
class FakeSource : public PrepareSource {
 public:
  Co<Result<std::string>> Key(Context, SharedConfig config) override {
    if (key_error) co_return *key_error;
    co_return config->task_name;
  }
  Co<Result<std::uint64_t>> Prepare(Context context, SharedConfig, std::string key,
                                    HearProgress hear) override {
    calls.push_back("prepare " + key);
    hear(TaskProgress{"Pulling", 1, 2, "layers", key});
    const Status slept = co_await Sleep(context, takes);
    if (!slept.ok()) {
      calls.push_back("give up " + key);
      co_return slept.error();
    }
    if (prepare_error) co_return *prepare_error;
    items[key] = PreparedItem{key, 1, 0};
    co_return std::uint64_t{1};
  }
  Co<Result<std::vector<PreparedItem>>> List(Context) override {
    ++lists;
    if (list_error) co_return *list_error;
    std::vector<PreparedItem> all;
    for (const auto& [key, item] : items) all.push_back(item);
    co_return all;
  }
  Co<Status> Remove(Context context, std::string key) override {
    calls.push_back("remove " + key);
    if (remove_takes > Duration(0)) {
      const Status slept = co_await Sleep(context, remove_takes);
      if (!slept.ok()) co_return slept;
    }
    if (remove_error) co_return *remove_error;
    items.erase(key);
    co_return Status();
  }
  std::vector<SharedConfig> Runs() const override { return runs; }
  Duration Age() const override { return age; }
  void Report(const std::string& what) override { reports.push_back(what); }

  Duration takes = 1min;
  Duration remove_takes{0};
  Duration age = 1h;
  std::optional<Error> key_error;
  std::optional<Error> prepare_error;
  std::optional<Error> list_error;
  std::optional<Error> remove_error;
  std::map<std::string, PreparedItem> items;
  std::vector<SharedConfig> runs;
  std::vector<std::string> calls;
  std::vector<std::string> reports;
  int lists = 0;
};

class PreparedThingsTest : public testing::Test {
 protected:
  ~PreparedThingsTest() override {
    loop_.Spawn(things_.Close());
    loop_.RunReady();
    EXPECT_EQ(things_.active(), 0u);
    EXPECT_FALSE(things_.has_timer());
  }

  static SharedConfig Named(const std::string& key) {
    auto config = std::make_shared<TaskConfig>();
    config->task_name = key;
    return config;
  }
  // One task that waits.
  struct Waiter {
    explicit Waiter(Loop* loop) : context(loop) {}
    Context context;
    std::optional<Status> status;
    std::vector<std::string> heard;
  };
  std::shared_ptr<Waiter> Wait(const std::string& key) {
    auto waiter = std::make_shared<Waiter>(&loop_);
    loop_.Spawn(Drive(&things_, waiter, Named(key)));
    loop_.RunReady();
    return waiter;
  }
  static Co<void> Drive(PreparedThings* things, std::shared_ptr<Waiter> waiter, SharedConfig task) {
    HearProgress hear = [waiter](const TaskProgress& progress) {
      waiter->heard.push_back(progress.text);
    };
    const Status status = co_await things->Prepare(waiter->context, task, std::move(hear));
    waiter->status = status;
  }
  void End(const SharedConfig& run) {
    std::erase(source_.runs, run);
    things_.RunEnded(run);
    loop_.RunReady();
  }

  SimLoop loop_;
  FakeSource source_;
  PreparedThings things_{&loop_, &source_};
};

TEST_F(PreparedThingsTest, TwoTasksWithOneKeyWaitForOneCall) {
  const auto first = Wait("redis");
  loop_.Advance(30s);
  const auto second = Wait("redis");
  const auto other = Wait("nginx");
  EXPECT_THAT(source_.calls, ElementsAre("prepare redis", "prepare nginx"));
  EXPECT_THAT(second->heard, ElementsAre("redis")) << "the newest report is not lost";
  loop_.Advance(30s);
  ASSERT_TRUE(first->status && second->status);
  EXPECT_TRUE(first->status->ok());
  EXPECT_TRUE(second->status->ok());
  EXPECT_FALSE(other->status);
  loop_.Advance(30s);
  EXPECT_TRUE(other->status && other->status->ok());
}

TEST_F(PreparedThingsTest, ATaskThatNeedsNothingDoesNotWait) {
  const auto waiter = Wait("");
  EXPECT_TRUE(waiter->status && waiter->status->ok());
  EXPECT_THAT(source_.calls, IsEmpty());
  EXPECT_FALSE(things_.has_timer());
}

TEST_F(PreparedThingsTest, OneOfTwoMayGoAndTheLastOneEndsTheCall) {
  const auto first = Wait("redis");
  const auto second = Wait("redis");
  first->context.Cancel("killed");
  loop_.RunReady();
  ASSERT_TRUE(first->status);
  EXPECT_EQ(first->status->code(), Code::kCancelled);
  EXPECT_THAT(source_.calls, ElementsAre("prepare redis"));
  second->context.Cancel("killed");
  loop_.RunReady();
  EXPECT_TRUE(second->status);
  EXPECT_THAT(source_.calls, ElementsAre("prepare redis", "give up redis"));
  // The next one begins anew.
  const auto third = Wait("redis");
  loop_.Advance(1min);
  EXPECT_TRUE(third->status && third->status->ok());
  EXPECT_EQ(source_.calls.back(), "prepare redis");
}

TEST_F(PreparedThingsTest, AFailureIsThatOfAllWhoWait) {
  source_.prepare_error = Error(Code::kPermissionDenied, "no such image");
  const auto first = Wait("redis");
  const auto second = Wait("redis");
  loop_.Advance(1min);
  for (const auto& waiter : {first, second}) {
    ASSERT_TRUE(waiter->status);
    EXPECT_EQ(waiter->status->code(), Code::kPermissionDenied);
  }
  source_.prepare_error.reset();
  const auto third = Wait("redis");  // a failure is not kept
  loop_.Advance(1min);
  EXPECT_TRUE(third->status && third->status->ok());
}

TEST_F(PreparedThingsTest, AMistakeInAKeyIsAnError) {
  source_.key_error = Error(Code::kInternal, "its answer");
  const auto waiter = Wait("redis");
  EXPECT_TRUE(waiter->status && waiter->status->code() == Code::kInternal);
}

TEST_F(PreparedThingsTest, TheEndOfTheDriverEndsThoseWhoWait) {
  const auto waiter = Wait("redis");
  loop_.Spawn(things_.Close());
  loop_.RunReady();
  EXPECT_TRUE(waiter->status && !waiter->status->ok());
}

TEST_F(PreparedThingsTest, WhatNoRunNeedsIsRemovedWhenItIsOldEnough) {
  const auto waiter = Wait("redis");
  loop_.Advance(1min);
  const SharedConfig run = Named("redis");
  source_.runs = {run};
  loop_.Advance(10h);
  EXPECT_EQ(source_.items.size(), 1u);
  EXPECT_FALSE(things_.has_timer()) << "a thing that is in use needs no timer";
  End(run);
  EXPECT_TRUE(things_.has_timer());
  loop_.Advance(59min);
  EXPECT_EQ(source_.items.size(), 1u);
  loop_.Advance(1min);
  EXPECT_THAT(source_.items, IsEmpty());
  EXPECT_EQ(source_.calls.back(), "remove redis");
  EXPECT_FALSE(things_.has_timer());
}

TEST_F(PreparedThingsTest, ACollectionByHandRemovesNothingTooEarly) {
  const auto waiter = Wait("redis");
  loop_.Advance(1min);
  things_.CollectSoon();
  loop_.RunReady();
  EXPECT_EQ(source_.items.size(), 1u);
  source_.age = 30s;  // the operator has changed the limit
  loop_.Advance(30s);
  things_.CollectSoon();
  loop_.RunReady();
  EXPECT_THAT(source_.items, IsEmpty());
}

TEST_F(PreparedThingsTest, WithoutAnAgeNothingIsRemoved) {
  source_.age = Duration(0);
  const auto waiter = Wait("redis");
  loop_.Advance(1min);
  End(Named("redis"));
  things_.Begin();
  things_.CollectSoon();
  loop_.Advance(1000h);
  EXPECT_EQ(source_.items.size(), 1u);
  EXPECT_EQ(source_.lists, 0);
  EXPECT_FALSE(things_.has_timer());
}

// Things of an earlier agent are as old as the driver says, or begin to age now.
TEST_F(PreparedThingsTest, AfterARestartTheDriverKnowsTheAge) {
  loop_.Advance(10h);
  source_.items["old"] = {"old", 1, loop_.Wall() - std::chrono::nanoseconds(2h).count()};
  source_.items["unknown"] = {"unknown", 1, 0};
  source_.items["future"] = {"future", 1, INT64_MAX};
  things_.Begin();
  loop_.Advance(1h);
  EXPECT_THAT(source_.calls, ElementsAre("remove old"));
  loop_.Advance(1h);
  EXPECT_THAT(source_.items, IsEmpty());
  EXPECT_FALSE(things_.has_timer());
}

TEST_F(PreparedThingsTest, ATaskWaitsUntilARemovalHasEnded) {
  source_.items["redis"] = {"redis", 1, 0};
  source_.remove_takes = 10s;
  things_.CollectSoon();
  loop_.Advance(1h);
  ASSERT_THAT(source_.calls, ElementsAre("remove redis"));
  const auto waiter = Wait("redis");
  EXPECT_THAT(source_.calls, ElementsAre("remove redis"));
  loop_.Advance(10s);
  EXPECT_THAT(source_.calls, ElementsAre("remove redis", "prepare redis"));
  loop_.Advance(1min);
  EXPECT_TRUE(waiter->status && waiter->status->ok());
  EXPECT_EQ(source_.items.size(), 1u);
}

// A removal may last, and others wait for it. What they remove must not be needed by then.
TEST_F(PreparedThingsTest, ARunThatBeginsDuringACollectionKeepsItsThing) {
  source_.items["first"] = {"first", 1, 0};
  source_.items["second"] = {"second", 1, 0};
  source_.remove_takes = 2h;
  things_.CollectSoon();
  loop_.Advance(1h);
  ASSERT_THAT(source_.calls, ElementsAre("remove first"));
  const SharedConfig run = Named("second");
  source_.runs = {run};
  loop_.Advance(10h);
  EXPECT_THAT(source_.calls, ElementsAre("remove first"));
  EXPECT_EQ(source_.items.size(), 1u);
}

TEST_F(PreparedThingsTest, WhatCannotBeRemovedIsTriedAgainLater) {
  source_.items["redis"] = {"redis", 1, 0};
  source_.remove_error = Error(Code::kFailedPrecondition, "another program uses it");
  things_.CollectSoon();
  loop_.Advance(1h);
  EXPECT_THAT(source_.calls, ElementsAre("remove redis"));
  EXPECT_EQ(source_.reports.size(), 1u);
  loop_.Advance(59min);
  EXPECT_EQ(source_.calls.size(), 1u);
  source_.remove_error.reset();
  loop_.Advance(1min);
  EXPECT_THAT(source_.items, IsEmpty());
}

// If it is not known which keys are in use, nothing is removed.
TEST_F(PreparedThingsTest, AMistakeRemovesNothing) {
  source_.items["redis"] = {"redis", 1, 0};
  things_.CollectSoon();
  loop_.RunReady();
  source_.runs = {Named("redis")};
  source_.key_error = Error(Code::kUnavailable, "away");
  loop_.Advance(2h);
  EXPECT_EQ(source_.items.size(), 1u);
  EXPECT_FALSE(source_.reports.empty());
  EXPECT_LE(source_.reports.size(), 62u) << "at most one each minute";
}

}  // namespace
}  // namespace drover
