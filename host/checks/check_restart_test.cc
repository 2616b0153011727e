// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_restart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace drover {
namespace {

// An allocation whose tasks the test starts and ends, and that notes what it is asked for.
class AskedAlloc : public AllocControl {
 public:
  explicit AskedAlloc(SimLoop* loop) : loop_(loop) {
    auto job = std::make_shared<Job>();
    job->groups.resize(1);
    job->groups[0].name = "group";
    for (const char* name : {"web", "side"}) {
      Task task;
      task.name = name;
      job->groups[0].tasks.push_back(task);
    }
    auto alloc = std::make_shared<Allocation>();
    alloc->id = "alloc";
    alloc->job = std::move(job);
    alloc->group_name = "group";
    state_.alloc = std::move(alloc);
    Set("web", RunnerState::kPending);
    Set("side", RunnerState::kPending);
  }

  void RequestEnd(std::string) override {}
  void RequestRestart(std::string task, std::string reason) override {
    asked.push_back(task + "|" + reason);
  }
  AllocSnapshot snapshot() const override {
    ++looks;
    return std::make_shared<const AllocState>(state_);
  }
  void AddObserver(AllocObserver* observer) override { observers_.push_back(observer); }
  void RemoveObserver(AllocObserver* observer) override { std::erase(observers_, observer); }

  void Set(const std::string& task, RunnerState state) {
    TaskStateRecord record;
    if (const auto before = state_.tasks.find(task); before != state_.tasks.end())
      record = *before->second;
    ChangeTaskState(&record, state, loop_->Wall());
    state_.tasks[task] = std::make_shared<const TaskStateRecord>(record);
    for (AllocObserver* observer : observers_) observer->OnAllocState(snapshot());
  }
  void StartAll() {
    for (const char* name : {"web", "side"}) {
      Set(name, RunnerState::kPending);
      Set(name, RunnerState::kRunning);
    }
  }
  std::size_t observers() const { return observers_.size(); }

  std::vector<std::string> asked;
  mutable int looks = 0;  // how often somebody has asked for the state

 private:
  SimLoop* const loop_;
  AllocState state_;
  std::vector<AllocObserver*> observers_;
};

class CheckRestartTest : public testing::Test {
 protected:
  ~CheckRestartTest() override {
    restarter_.Stop();
    EXPECT_EQ(alloc_.observers(), 0u);
    EXPECT_EQ(loop_.live_timers(), 0u);
  }

  std::shared_ptr<CheckSlot> Begin(const std::string& id, CheckRestart rule,
                                   const std::string& task = "") {
    CheckPlan plan;
    plan.id = id;
    plan.alloc_id = "alloc";
    plan.task = task;
    plan.check.name = "is up";
    plan.check.interval = 10s;
    plan.check.timeout = 2s;
    plan.check.check_restart = rule;
    slots_.push_back(results_.Begin(std::move(plan)));
    restarter_.Watch("alloc", slots_);
    return slots_.back();
  }
  void Put(const std::shared_ptr<CheckSlot>& slot, CheckStatus status) {
    CheckResult result;
    result.status = status;
    result.has_run = true;
    result.ran = loop_.Now();
    results_.Put(slot, std::move(result));
    loop_.Advance(0s);
  }
  // A run of the check each 10 s with this result, for DURATION.
  void Run(const std::shared_ptr<CheckSlot>& slot, CheckStatus status, Duration duration) {
    for (Duration past{0}; past < duration; past += 10s) {
      loop_.Advance(10s);
      Put(slot, status);
    }
  }
  std::size_t Asked() const { return alloc_.asked.size(); }

  SimLoop loop_;
  AskedAlloc alloc_{&loop_};
  CheckResults results_{&loop_};
  std::vector<std::shared_ptr<CheckSlot>> slots_;
  CheckRestarter restarter_{&loop_, &alloc_, &results_};
};

constexpr CheckStatus kFails = CheckStatus::kFailure;
constexpr CheckStatus kWorks = CheckStatus::kSuccess;

TEST_F(CheckRestartTest, FailuresForLimitLessOneIntervalsRestart) {
  const auto slot = Begin("a", {3, 1s, false});
  alloc_.StartAll();
  Run(slot, kFails, 10s);
  loop_.Advance(20s - 1ns);
  EXPECT_EQ(Asked(), 0u);
  loop_.Advance(1ns);
  EXPECT_EQ(alloc_.asked, std::vector<std::string>{"|healthcheck: check \"is up\" unhealthy"});
}

TEST_F(CheckRestartTest, ASuccessBeginsAnew) {
  const auto slot = Begin("a", {3, 1s, false});
  alloc_.StartAll();
  Run(slot, kFails, 10s);
  Run(slot, kWorks, 10s);
  Run(slot, kFails, 20s);
  EXPECT_EQ(Asked(), 0u);
  Run(slot, kFails, 10s);
  EXPECT_EQ(Asked(), 1u);
}

TEST_F(CheckRestartTest, GraceCountsFromTheStartOfTheTasks) {
  const auto slot = Begin("a", {1, 60s, false});
  Run(slot, kFails, 100s);
  EXPECT_EQ(Asked(), 0u) << "no task runs";
  for (std::size_t i = 0; i < 3; ++i) {
    alloc_.StartAll();
    Run(slot, kFails, 50s);
    EXPECT_EQ(Asked(), i) << "each start has its grace";
    Run(slot, kFails, 10s);
    EXPECT_EQ(Asked(), i + 1);
  }
}

TEST_F(CheckRestartTest, GraceOfACheckThatComesLaterCountsFromThen) {
  alloc_.StartAll();
  loop_.Advance(1h);
  const auto slot = Begin("a", {1, 60s, false});
  Run(slot, kFails, 50s);
  EXPECT_EQ(Asked(), 0u);
  Run(slot, kFails, 10s);
  EXPECT_EQ(Asked(), 1u);
}

TEST_F(CheckRestartTest, ItRestartsAgainAndAgainAndOncePerStart) {
  const auto slot = Begin("a", {1, 1s, false});
  for (std::size_t i = 1; i <= 5; ++i) {
    alloc_.StartAll();
    Run(slot, kFails, 100s);
    EXPECT_EQ(Asked(), i);
  }
}

TEST_F(CheckRestartTest, AResultOfBeforeTheStartDoesNotCount) {
  const auto slot = Begin("a", {1, 1s, false});
  alloc_.StartAll();
  Run(slot, kFails, 10s);
  EXPECT_EQ(Asked(), 1u);
  alloc_.StartAll();
  loop_.Advance(5s);
  EXPECT_EQ(Asked(), 1u);
  Put(slot, kWorks);
  loop_.Advance(1h);
  EXPECT_EQ(Asked(), 1u);
}

TEST_F(CheckRestartTest, ACheckThatNeverRunsFailsInTheEnd) {
  Begin("a", {1, 1s, false});
  alloc_.StartAll();
  loop_.Advance(12s - 1ns);
  EXPECT_EQ(Asked(), 0u);
  loop_.Advance(1ns);
  EXPECT_EQ(Asked(), 1u);
}

TEST_F(CheckRestartTest, WarningsCountUnlessTheyAreIgnored) {
  const auto tolerant = Begin("a", {1, 1s, true});
  alloc_.StartAll();
  Run(tolerant, CheckStatus::kWarning, 30s);
  EXPECT_EQ(Asked(), 0u);
  const auto strict = Begin("b", {1, 1s, false});
  Run(strict, CheckStatus::kWarning, 20s);
  EXPECT_EQ(Asked(), 1u);
}

TEST_F(CheckRestartTest, ACheckOfATaskRestartsThisTask) {
  const auto slot = Begin("a", {1, 1s, false}, "web");
  alloc_.Set("web", RunnerState::kRunning);
  Run(slot, kFails, 10s);
  EXPECT_EQ(alloc_.asked, std::vector<std::string>{"web|healthcheck: check \"is up\" unhealthy"});
  alloc_.Set("side", RunnerState::kRunning);
  Run(slot, kFails, 50s);
  EXPECT_EQ(Asked(), 1u) << "another task has started, not this one";
}

TEST_F(CheckRestartTest, FiveHundredFailingChecksAskOnce) {
  for (int i = 0; i < 500; ++i) Begin("check" + std::to_string(i), {1, 1s, false});
  alloc_.StartAll();
  loop_.Advance(5s);
  for (const auto& slot : slots_) {
    CheckResult result;
    result.status = kFails;
    result.has_run = true;
    result.ran = loop_.Now();
    results_.Put(slot, std::move(result));
  }
  loop_.Advance(100s);
  EXPECT_EQ(Asked(), 1u);
}

TEST_F(CheckRestartTest, ManyResultsCostFewLooks) {
  for (int i = 0; i < 500; ++i) Begin("check" + std::to_string(i), {100, 1s, false});
  alloc_.StartAll();
  loop_.Advance(5s);
  alloc_.looks = 0;
  // The results of a second, each of which the control thread hears by itself.
  for (const auto& slot : slots_) {
    loop_.Advance(2ms);
    Put(slot, kFails);
  }
  EXPECT_GT(alloc_.looks, 0);
  EXPECT_LE(alloc_.looks, 21);
  loop_.Advance(1h);
  EXPECT_EQ(Asked(), 1u);
}

TEST_F(CheckRestartTest, WithoutFailuresThereIsNoTimer) {
  const auto slot = Begin("a", {3, 1s, false});
  alloc_.StartAll();
  Put(slot, kWorks);
  EXPECT_EQ(loop_.live_timers(), 0u);
}

TEST_F(CheckRestartTest, LimitsWithoutBoundsDoNotOverflow) {
  const auto slot = Begin("a", {std::numeric_limits<int>::max(), Duration::max(), false});
  const auto other = Begin("b", {std::numeric_limits<int>::max(), 1s, false});
  alloc_.StartAll();
  Run(slot, kFails, 100s);
  Run(other, kFails, 100s);
  EXPECT_EQ(Asked(), 0u);
}

TEST_F(CheckRestartTest, AChangeKeepsWhatIsWatched) {
  const auto slot = Begin("a", {2, 1s, false});
  alloc_.StartAll();
  Run(slot, kFails, 10s);
  Begin("b", {9, 1s, false});
  loop_.Advance(10s);
  EXPECT_EQ(Asked(), 1u) << "the failures before the change count";
}

}  // namespace
}  // namespace drover
