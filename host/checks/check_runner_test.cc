// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace drover {
namespace {

// Answers after a time that the test sets for each check, and counts the runs under way.
class SlowAsker : public CheckAsker {
 public:
  explicit SlowAsker(SimLoop* loop) : loop_(loop) {}

  Co<CheckAnswer> Ask(Context context, std::shared_ptr<const CheckPlan> plan) override {
    starts[plan->id].push_back(loop_->Now());
    most = std::max(most, ++running);
    most_of[plan->alloc_id] = std::max(most_of[plan->alloc_id], ++running_of[plan->alloc_id]);
    EXPECT_TRUE(now.insert(plan->id).second) << "two runs of one check";
    const auto found = takes.find(plan->id);
    const Duration time = found == takes.end() ? Duration(0) : found->second;
    const Status slept = co_await Sleep(context, time);
    now.erase(plan->id);
    --running;
    --running_of[plan->alloc_id];
    CheckAnswer answer;
    answer.status =
        slept.ok() && failing.count(plan->id) == 0 ? CheckStatus::kSuccess : CheckStatus::kFailure;
    answer.output = slept.ok() ? "answered" : slept.error().message();
    co_return answer;
  }

  std::map<std::string, Duration> takes;
  std::set<std::string> failing;
  std::map<std::string, std::vector<TimePoint>> starts;
  int most = 0;
  std::map<std::string, int> most_of;
  std::map<std::string, int> running_of;
  std::set<std::string> now;
  int running = 0;

 private:
  SimLoop* const loop_;
};

class CheckRunnerTest : public testing::Test {
 protected:
  CheckRunnerTest() { Make(512, 64); }
  ~CheckRunnerTest() override {
    EXPECT_TRUE(loop_.RunToEnd(runner_->Close(), 1s)) << "a close waits for no check";
    EXPECT_EQ(asker_.running, 0);
    runner_.reset();
    EXPECT_EQ(loop_.live_timers(), 0u);
    EXPECT_EQ(Context::live(), contexts_);
  }

  void Make(int at_once, int of_alloc, int least_of_alloc = 0) {
    CheckRunnerOptions options;
    options.loop = &loop_;
    options.network = &asker_;
    options.scripts = &scripts_;
    options.put = [this](const std::shared_ptr<CheckSlot>& slot, CheckResult result) {
      results_[slot->plan->id] = std::move(result);
    };
    options.most_at_once = at_once;
    options.most_of_alloc = of_alloc;
    options.least_of_alloc = least_of_alloc;
    runner_ = std::make_unique<CheckRunner>(std::move(options));
  }
  std::shared_ptr<CheckSlot> Add(const std::string& id, Duration interval = 10s,
                                 Duration timeout = 2s, const std::string& alloc_id = "alloc") {
    auto plan = std::make_shared<CheckPlan>();
    plan->id = id;
    plan->alloc_id = alloc_id;
    plan->check.interval = interval;
    plan->check.timeout = timeout;
    change_(plan.get());
    auto slot = std::make_shared<CheckSlot>(plan);
    runner_->Add(slot);
    return slot;
  }

  const long contexts_ = Context::live();
  SimLoop loop_;
  SlowAsker asker_{&loop_};
  SlowAsker scripts_{&loop_};
  std::map<std::string, CheckResult> results_;
  std::function<void(CheckPlan*)> change_ = [](CheckPlan*) {};
  std::unique_ptr<CheckRunner> runner_;
};

TEST_F(CheckRunnerTest, RunsAfterHalfAnIntervalAndThenOncePerInterval) {
  const TimePoint begin = loop_.Now();
  const auto slot = Add("a");
  const Duration first = CheckRunner::FirstDelay(*slot->plan);
  EXPECT_GE(first, 5s);
  EXPECT_LE(first, 6s);
  loop_.Advance(60s);
  const std::vector<TimePoint>& starts = asker_.starts["a"];
  ASSERT_EQ(starts.size(), 6u);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const Duration late = starts[i] - (begin + first + 10s * static_cast<int>(i));
    EXPECT_GE(late, 0s);
    EXPECT_LE(late, 50ms);
  }
  EXPECT_EQ(results_.at("a").status, CheckStatus::kSuccess);
  EXPECT_EQ(results_.at("a").output, "answered");
  EXPECT_TRUE(results_.at("a").has_run);
}

TEST_F(CheckRunnerTest, FirstRunsAreSpread) {
  for (int i = 0; i < 400; ++i) Add("check" + std::to_string(i), 8s);
  std::map<TimePoint, int> at;
  loop_.Advance(6s);
  for (const auto& [id, starts] : asker_.starts) ++at[starts.at(0)];
  EXPECT_GE(at.size(), 10u);
  for (const auto& [time, count] : at) EXPECT_LE(count, 80);
}

TEST_F(CheckRunnerTest, AHangingCheckEndsAtItsTimeoutAndDelaysNoOther) {
  asker_.takes["hangs"] = 1h;
  Add("hangs", 10s, 3s);
  Add("quick");
  loop_.Advance(60s);
  EXPECT_EQ(results_.at("hangs").status, CheckStatus::kFailure);
  EXPECT_EQ(results_.at("hangs").output, "no answer within 3s");
  EXPECT_EQ(asker_.starts["hangs"].size(), 6u);
  EXPECT_EQ(asker_.starts["quick"].size(), 6u);
}

TEST_F(CheckRunnerTest, ARunThatIsLongerThanTheIntervalSkipsRuns) {
  asker_.takes["long"] = 14s;
  Add("long", 10s, 20s);
  loop_.Advance(100s);
  EXPECT_EQ(asker_.starts["long"].size(), 5u) << "every other one";
}

TEST_F(CheckRunnerTest, ThresholdsCountTheAnswers) {
  change_ = [](CheckPlan* plan) { plan->check.failures_before_critical = 3; };
  asker_.failing.insert("a");
  Add("a");
  loop_.Advance(20s);
  EXPECT_EQ(results_.at("a").status, CheckStatus::kPending);
  loop_.Advance(10s);
  EXPECT_EQ(results_.at("a").status, CheckStatus::kFailure);
}

TEST_F(CheckRunnerTest, AFaultIsTheOutputOfEachRun) {
  change_ = [](CheckPlan* plan) { plan->fault = "no port"; };
  for (int i = 0; i < 100; ++i) Add("a" + std::to_string(i));
  loop_.Advance(10s);
  EXPECT_EQ(results_.size(), 100u);
  EXPECT_EQ(results_.at("a7").output, "no port");
  EXPECT_TRUE(asker_.starts.empty());
}

TEST_F(CheckRunnerTest, ScriptsAreAskedElsewhere) {
  change_ = [](CheckPlan* plan) { plan->check.type = CheckType::kScript; };
  Add("a");
  loop_.Advance(10s);
  EXPECT_EQ(scripts_.starts["a"].size(), 1u);
  EXPECT_TRUE(asker_.starts.empty());
}

TEST_F(CheckRunnerTest, AScriptHasItsTimeoutWhereItRuns) {
  change_ = [](CheckPlan* plan) { plan->check.type = CheckType::kScript; };
  scripts_.takes["a"] = 1h;
  Add("a", 100s, 3s);
  loop_.Advance(52s);
  ASSERT_EQ(scripts_.starts["a"].size(), 1u);
  const TimePoint start = scripts_.starts["a"][0];
  loop_.Advance(start + 4s - loop_.Now());
  EXPECT_TRUE(results_.empty()) << "the answer may be on its way";
  loop_.Advance(2s);
  EXPECT_EQ(results_.at("a").output, "no answer within 3s");
}

TEST_F(CheckRunnerTest, ARemovedCheckEndsAtOnceAndGivesNoResult) {
  asker_.takes["a"] = 1h;
  const auto slot = Add("a", 10s, 60s);
  loop_.Advance(8s);
  EXPECT_EQ(runner_->running(), 1);
  runner_->Remove(slot.get());
  runner_->Remove(slot.get());
  loop_.RunReady();
  EXPECT_EQ(runner_->running(), 0);
  EXPECT_EQ(runner_->checks(), 0u);
  EXPECT_TRUE(results_.empty());
  Add("a", 10s, 60s);
  loop_.Advance(8s);
  EXPECT_EQ(asker_.starts["a"].size(), 2u);
}

TEST_F(CheckRunnerTest, ThousandHangingChecksUseABoundedNumberOfConnections) {
  Make(100, 20);
  for (int i = 0; i < 1000; ++i) {
    const std::string id = "hangs" + std::to_string(i);
    asker_.takes[id] = 1h;
    Add(id, 10s, 5s, "bad");
  }
  for (int i = 0; i < 50; ++i) Add("good" + std::to_string(i), 10s, 5s, "good" + std::to_string(i));
  loop_.Advance(120s);
  EXPECT_LE(asker_.most, 100);
  EXPECT_EQ(asker_.most_of["bad"], 20);
  for (int i = 0; i < 50; ++i) {
    EXPECT_GE(asker_.starts["good" + std::to_string(i)].size(), 11u) << "it was delayed";
  }
  EXPECT_GE(asker_.starts.size(), 400u) << "hanging ones have their turns, too";
}

TEST_F(CheckRunnerTest, AllocationsWhoseChecksHangDelayNoOther) {
  Make(100, 20, 2);
  for (int i = 0; i < 200; ++i) {
    const std::string id = "hangs" + std::to_string(i);
    asker_.takes[id] = 1h;
    Add(id, 10s, 1h, "bad" + std::to_string(i % 10));
  }
  loop_.Advance(20s);
  EXPECT_EQ(asker_.running, 100) << "all that may run at once";
  for (int i = 0; i < 5; ++i) {
    const std::string id = "good" + std::to_string(i);
    asker_.takes[id] = 1s;
    Add(id, 10s, 5s, "good");
  }
  loop_.Advance(60s);
  EXPECT_EQ(asker_.most_of["good"], 2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_GE(asker_.starts["good" + std::to_string(i)].size(), 5u) << "it was delayed";
  }
}

TEST_F(CheckRunnerTest, WhoWaitsGetsItsTurnOrIsRemoved) {
  Make(1, 1);
  asker_.takes["first"] = 3s;
  const auto first = Add("first", 100s, 50s);
  std::vector<std::shared_ptr<CheckSlot>> waiting;
  for (int i = 0; i < 10; ++i)
    waiting.push_back(Add("later" + std::to_string(i), 100s, 50s, "alloc" + std::to_string(i % 3)));
  for (int i = 0; i < 10; i += 2) runner_->Remove(waiting[i].get());
  loop_.Advance(100s);
  EXPECT_EQ(asker_.most, 1);
  EXPECT_EQ(results_.size(), 6u);
}

TEST_F(CheckRunnerTest, ManyChecksCostFewTimers) {
  for (int i = 0; i < 1000; ++i)
    Add("a" + std::to_string(i), 1s, 1s, "alloc" + std::to_string(i % 20));
  loop_.Advance(1500ms);
  EXPECT_LE(loop_.live_timers(), 1u);
  EXPECT_EQ(results_.size(), 1000u);
}

}  // namespace
}  // namespace drover
