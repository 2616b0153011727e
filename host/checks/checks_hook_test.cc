// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/checks_hook.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace drover {
namespace {

class QuietAlloc : public AllocControl {
 public:
  void RequestEnd(std::string) override {}
};

class ChecksHookTest : public testing::Test {
 protected:
  ChecksHookTest() {
    auto alloc = std::make_shared<Allocation>();
    alloc->id = "alloc";
    alloc->job = std::make_shared<const Job>();
    request_.alloc = std::move(alloc);
    auto env = std::make_shared<ChecksEnv>();
    env->results = &results_;
    env->scripts = &scripts_;
    env->plans = [this](const Allocation&) { return plans_; };
    env->ask = [this](const std::shared_ptr<CheckSlot>& slot) { asked_.insert(slot->plan->id); };
    env->forget = [this](const std::shared_ptr<CheckSlot>& slot) { asked_.erase(slot->plan->id); };
    hook_ = std::make_unique<ChecksHook>(AllocHookEnv{&loop_, nullptr, &alloc_, nullptr}, env);
  }

  void AddPlan(const std::string& id, Duration interval = 10s) {
    CheckPlan plan;
    plan.id = id;
    plan.alloc_id = "alloc";
    plan.check.interval = interval;
    plan.check.timeout = 1s;
    plans_.push_back(plan);
  }
  void Wait(Co<Status> call) {
    auto wait = [](Co<Status> inner) -> Co<void> { EXPECT_TRUE((co_await std::move(inner)).ok()); };
    EXPECT_TRUE(loop_.RunToEnd(wait(std::move(call)), 1s));
  }
  void Prerun() { Wait(hook_->Prerun(Context(&loop_), request_)); }
  void Update() { Wait(hook_->Update(Context(&loop_), request_)); }
  // Nobody puts results, so the time of each is that of its beginning.
  std::map<std::string, std::int64_t> Begun() {
    std::map<std::string, std::int64_t> begun;
    const nlohmann::json results = results_.Encode("alloc");
    for (const auto& [id, check] : results.items())
      begun[id] = check.at("Timestamp").get<std::int64_t>();
    return begun;
  }

  SimLoop loop_;
  QuietAlloc alloc_;
  CheckResults results_{&loop_};
  ScriptChecks scripts_{&loop_};
  std::vector<CheckPlan> plans_;
  std::set<std::string> asked_;  // the checks that are asked now
  AllocHookRequest request_;
  std::unique_ptr<ChecksHook> hook_;
};

TEST_F(ChecksHookTest, AnUpdateRestartsOnlyWhatChanges) {
  AddPlan("same");
  AddPlan("changes");
  AddPlan("goes");
  Prerun();
  const auto before = Begun();
  ASSERT_EQ(before.size(), 3u);
  loop_.Advance(10s);
  plans_.clear();
  AddPlan("same");
  AddPlan("changes", 20s);
  AddPlan("comes");
  Update();
  const auto after = Begun();
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after.at("same"), before.at("same"));
  EXPECT_EQ(after.at("changes"), before.at("changes") + 10);
  EXPECT_EQ(after.count("comes"), 1u);
  EXPECT_EQ(asked_, (std::set<std::string>{"same", "changes", "comes"}));
}

TEST_F(ChecksHookTest, UntilTheyHaveBegunTheyDoNotPass) {
  results_.Expect("alloc");
  EXPECT_FALSE(results_.Passing("alloc"));
  Prerun();
  EXPECT_TRUE(results_.Passing("alloc")) << "there are none";
  results_.Expect("alloc");
  Wait(hook_->Prekill(Context(&loop_), request_));
  EXPECT_TRUE(results_.Passing("alloc")) << "nobody expects any more";
}

TEST_F(ChecksHookTest, AKillDropsAllForGood) {
  AddPlan("a");
  Prerun();
  Wait(hook_->Prekill(Context(&loop_), request_));
  EXPECT_TRUE(Begun().empty());
  EXPECT_TRUE(asked_.empty());
  Update();
  EXPECT_TRUE(Begun().empty()) << "the allocation ends";
  Wait(hook_->Postrun(Context(&loop_), request_));
}

TEST_F(ChecksHookTest, AShutdownDropsAll) {
  AddPlan("a");
  Prerun();
  Wait(hook_->Shutdown(Context(&loop_), request_));
  EXPECT_TRUE(Begun().empty());
}

TEST_F(ChecksHookTest, AKillEndsScripts) {
  AddPlan("a");
  plans_[0].check.type = CheckType::kScript;
  Prerun();
  std::vector<CheckAnswer> answers;
  const auto plan = std::make_shared<const CheckPlan>(plans_[0]);
  scripts_.Run(plan, [&](CheckAnswer answer) { answers.push_back(std::move(answer)); });
  loop_.RunReady();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].status, CheckStatus::kFailure);
  EXPECT_EQ(answers[0].output, "this allocation runs no commands");
  Wait(hook_->Prekill(Context(&loop_), request_));
  scripts_.Run(plan, [&](CheckAnswer answer) { answers.push_back(std::move(answer)); });
  loop_.RunReady();
  EXPECT_EQ(answers.size(), 1u);
}

}  // namespace
}  // namespace drover
