// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_hook.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

// Notes its calls and fails where it is told to.
class NotingHook : public AllocHook {
 public:
  NotingHook(std::string hook_name, std::vector<std::string>* calls, bool fails)
      : name_(std::move(hook_name)), calls_(calls), fails_(fails) {}
  std::string_view name() const override { return name_; }
  Co<Status> Prerun(Context, AllocHookRequest) override { return Note("prerun"); }
  Co<Status> Update(Context, AllocHookRequest) override { return Note("update"); }
  Co<Status> PreTaskRestart(Context, AllocHookRequest) override { return Note("restart"); }
  Co<Status> Postrun(Context, AllocHookRequest) override { return Note("postrun"); }
  Co<Status> Destroy(Context, AllocHookRequest) override { return Note("destroy"); }
  Co<void> Prekill(Context, AllocHookRequest) override {
    [[maybe_unused]] const Status status = co_await Note("prekill");
  }
  Co<void> Shutdown(Context, AllocHookRequest) override {
    [[maybe_unused]] const Status status = co_await Note("shutdown");
  }

 private:
  Co<Status> Note(std::string stage) {
    calls_->push_back(name_ + " " + stage);
    if (fails_) co_return Error(Code::kPermissionDenied, "no luck", true);
    co_return Status();
  }
  const std::string name_;
  std::vector<std::string>* const calls_;
  const bool fails_;
};

class AllocHookChainTest : public testing::Test {
 protected:
  void Add(const std::string& name, bool fails = false) {
    chain_.Add(std::make_unique<NotingHook>(name, &calls_, fails));
  }
  Status Run(AllocHookStage stage) {
    SimLoop loop;
    Status status;
    auto run = [](AllocHookChain* chain, AllocHookStage which, Context context,
                  Status* out) -> Co<void> {
      *out = co_await chain->Run(which, context, AllocHookRequest());
    };
    EXPECT_TRUE(loop.RunToEnd(run(&chain_, stage, Context(&loop), &status)));
    return status;
  }

  AllocHookChain chain_;
  std::vector<std::string> calls_;
};

TEST_F(AllocHookChainTest, EveryStageCallsTheHooksInOrder) {
  Add("a");
  Add("b");
  const std::vector<std::pair<AllocHookStage, std::string>> stages = {
      {AllocHookStage::kPrerun, "prerun"},          {AllocHookStage::kUpdate, "update"},
      {AllocHookStage::kPreTaskRestart, "restart"}, {AllocHookStage::kPrekill, "prekill"},
      {AllocHookStage::kPostrun, "postrun"},        {AllocHookStage::kDestroy, "destroy"},
      {AllocHookStage::kShutdown, "shutdown"}};
  for (const auto& [stage, text] : stages) {
    calls_.clear();
    EXPECT_TRUE(Run(stage).ok());
    EXPECT_EQ(calls_, (std::vector<std::string>{"a " + text, "b " + text}));
  }
}

TEST_F(AllocHookChainTest, TheFirstErrorEndsPrerun) {
  Add("a");
  Add("b", true);
  Add("c");
  const Status status = Run(AllocHookStage::kPrerun);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message(), "pre-run hook \"b\" failed: no luck");
  EXPECT_EQ(status.code(), Code::kPermissionDenied);
  EXPECT_TRUE(status.error().recoverable());
  EXPECT_EQ(calls_, (std::vector<std::string>{"a prerun", "b prerun"}));
}

TEST_F(AllocHookChainTest, OtherStagesGoOnAndGatherTheErrors) {
  Add("a", true);
  Add("b");
  Add("c", true);
  const std::vector<std::pair<AllocHookStage, std::string>> stages = {
      {AllocHookStage::kUpdate, "update"},
      {AllocHookStage::kPreTaskRestart, "pre-task-restart"},
      {AllocHookStage::kPostrun, "post-run"},
      {AllocHookStage::kDestroy, "destroy"}};
  for (const auto& [stage, text] : stages) {
    calls_.clear();
    const Status status = Run(stage);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message(), "2 errors occurred: " + text +
                                            " hook \"a\" failed: no luck; " + text +
                                            " hook \"c\" failed: no luck");
    EXPECT_EQ(calls_.size(), 3u);
  }
}

TEST_F(AllocHookChainTest, PrekillAndShutdownHaveNoErrors) {
  Add("a", true);
  EXPECT_TRUE(Run(AllocHookStage::kPrekill).ok());
  EXPECT_TRUE(Run(AllocHookStage::kShutdown).ok());
}

}  // namespace
}  // namespace drover
