// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/watched_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/render/fake_source_for_test.h"

namespace drover {
namespace {

using testing::ElementsAre;

ValueRequest Key(const std::string& key) { return {"key", {key}}; }

struct WatchedValuesTest : testing::Test {
  WatchedValuesTest() {
    WatchedValues::Options options;
    options.loop = &loop;
    options.sources = {&source};
    options.report = [this](const std::string& name, const Error& error) {
      reports.push_back(name + ": " + error.message());
    };
    values = WatchedValues::Create(std::move(options));
  }
  ~WatchedValuesTest() override { EXPECT_TRUE(loop.RunToEnd(values->Stop())); }

  std::unique_ptr<ValueWatch> Watch(const std::set<ValueRequest>& requests) {
    auto watch = values->Open(ValueScope());
    EXPECT_TRUE(watch->Want(requests).ok());
    loop.RunReady();
    return watch;
  }
  static std::string In(const ValueWatch& watch, const std::string& key) {
    const auto known = watch.Known();
    const auto found = known->find(Key(key));
    return found == known->end() ? "unknown" : found->second->get<std::string>();
  }

  SimLoop loop;
  FakeSource source;
  std::shared_ptr<WatchedValues> values;
  std::vector<std::string> reports;
};

TEST_F(WatchedValuesTest, ThereIsOneWatchPerValue) {
  source.Set("a", "1");
  const auto first = Watch({Key("a"), Key("b")});
  auto second = Watch({Key("a")});
  EXPECT_EQ(source.watched["a"], 1);
  EXPECT_EQ(values->watches(), 2u);
  EXPECT_EQ(In(*first, "a"), "1");
  EXPECT_EQ(In(*second, "a"), "1");
  EXPECT_EQ(In(*first, "b"), "unknown");
  source.Set("b", "2");
  EXPECT_EQ(In(*first, "b"), "2");
  second = nullptr;
  loop.RunReady();
  EXPECT_EQ(source.LiveOf("a"), 1);
}

TEST_F(WatchedValuesTest, AWatchEndsWhenNobodyWantsItsValue) {
  const auto watch = Watch({Key("a"), Key("b")});
  EXPECT_TRUE(watch->Want({Key("b")}).ok());
  loop.RunReady();
  EXPECT_EQ(source.LiveOf("a"), 0);
  EXPECT_EQ(source.LiveOf("b"), 1);
  EXPECT_EQ(values->watches(), 1u);
  EXPECT_TRUE(watch->Want({Key("a")}).ok());
  loop.RunReady();
  EXPECT_EQ(source.watched["a"], 2);
}

TEST_F(WatchedValuesTest, OnlyAnotherValueIsANewGeneration) {
  source.Set("a", "1");
  const auto watch = Watch({Key("a")});
  const std::uint64_t before = watch->generation();
  source.Set("a", "1");
  EXPECT_EQ(watch->generation(), before);
  source.Set("a", "2");
  EXPECT_GT(watch->generation(), before);
}

TEST_F(WatchedValuesTest, WhoMayNotHaveAValueAnyMoreLosesIt) {
  for (const char* key : {"a", "b", "c"}) source.Set(key, "1");
  const auto first = Watch({Key("a"), Key("b")});
  const auto second = Watch({Key("c")});
  const std::uint64_t first_before = first->generation(), second_before = second->generation();
  source.forbidden = {"a"};
  values->CheckAgain();
  loop.RunReady();
  EXPECT_EQ(In(*first, "a"), "unknown");
  EXPECT_EQ(In(*first, "b"), "1");
  EXPECT_GT(first->generation(), first_before);
  EXPECT_EQ(second->generation(), second_before);
  EXPECT_EQ(source.LiveOf("a"), 0);
  source.Set("a", "2");
  ValueRequest refused;
  EXPECT_EQ(first->Want({Key("a"), Key("b")}, &refused).code(), Code::kPermissionDenied);
  EXPECT_EQ(refused, Key("a"));
  source.forbidden.clear();
  EXPECT_TRUE(first->Want({Key("a"), Key("b")}).ok());
  loop.RunReady();
  EXPECT_EQ(In(*first, "a"), "2");
}

TEST_F(WatchedValuesTest, AWatchMayEndWhileAllAreChecked) {
  std::vector<std::unique_ptr<ValueWatch>> watches;
  for (int i = 0; i < 100; ++i) watches.push_back(Watch({Key("a")}));
  source.forbidden = {"a"};
  values->CheckAgain();
  watches.resize(10);
  loop.RunReady();
  EXPECT_EQ(source.LiveOf("a"), 0);
  values->CheckAgain();  // with nothing left to lose
}

TEST_F(WatchedValuesTest, AValueThatOthersWatchIsKnownAtOnce) {
  source.Set("a", "1");
  const auto first = Watch({Key("a")});
  const auto second = values->Open(ValueScope());
  const std::uint64_t before = second->generation();
  EXPECT_TRUE(second->Want({Key("a")}).ok());
  EXPECT_GT(second->generation(), before);
  EXPECT_EQ(In(*second, "a"), "1");
}

TEST_F(WatchedValuesTest, WaitingEndsWithAChangeOrWithTheContext) {
  const auto watch = Watch({Key("a")});
  std::vector<Code> ends;
  const auto wait = [](ValueWatch* of, Context context, std::vector<Code>* out) -> Co<void> {
    const Status status = co_await of->WaitNewer(context, of->generation());
    out->push_back(status.code());
  };
  loop.Spawn(wait(watch.get(), Context(&loop), &ends));
  loop.RunReady();
  EXPECT_TRUE(ends.empty());
  source.Set("a", "1");
  loop.RunReady();
  Context ended(&loop);
  ended.Cancel();
  loop.Spawn(wait(watch.get(), ended, &ends));
  loop.RunReady();
  EXPECT_THAT(ends, ElementsAre(Code::kOk, Code::kCancelled));
}

TEST_F(WatchedValuesTest, WhileASourceFailsTheLastValueStays) {
  source.Set("a", "1");
  const auto watch = Watch({Key("a")});
  source.Fail("a", "it is away");
  source.Fail("a", "it is away");
  EXPECT_EQ(In(*watch, "a"), "1");
  EXPECT_THAT(reports, ElementsAre("key a: it is away"));
  source.Set("a", "1");
  source.Fail("a", "it is away");
  EXPECT_EQ(reports.size(), 2u);
}

TEST_F(WatchedValuesTest, WhatATaskMayNotHaveIsAnErrorAndHoldsUpNothingElse) {
  source.Set("a", "1");
  source.Set("z", "2");
  const auto watch = Watch({Key("a")});
  EXPECT_EQ(watch->Want({Key("a"), Key("forbidden"), Key("z")}).code(), Code::kPermissionDenied);
  EXPECT_EQ(watch->Want({Key("a"), {"secret", {"x"}}, Key("z")}).code(), Code::kUnimplemented);
  loop.RunReady();
  EXPECT_EQ(In(*watch, "a"), "1");
  EXPECT_EQ(In(*watch, "z"), "2");
  EXPECT_EQ(values->watches(), 2u);
}

TEST_F(WatchedValuesTest, ATaskWatchesOnlySoMany) {
  std::set<ValueRequest> many;
  for (std::size_t i = 0; i < kMostWantedValues + 5; ++i) many.insert(Key(std::to_string(i)));
  const auto watch = values->Open(ValueScope());
  EXPECT_EQ(watch->Want(many).code(), Code::kResourceExhausted);
  EXPECT_EQ(values->watches(), kMostWantedValues);
  EXPECT_TRUE(watch->Want({}).ok());
  loop.RunReady();
  EXPECT_EQ(values->watches(), 0u);
}

}  // namespace
}  // namespace drover
