// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_hook.h"

#include <gtest/gtest.h>

#include "host/task/interruptible.h"

namespace drover {
namespace {

// Records its calls and fails where the test says so.
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
  Co<Status> Prekill(Context, AllocHookRequest) override { return Note("prekill"); }
  Co<Status> Shutdown(Context, AllocHookRequest) override { return Note("shutdown"); }

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

// Hangs in every stage, whatever its context says.
class HangingHook : public AllocHook {
 public:
  explicit HangingHook(Loop* loop) : never_(loop) {}
  std::string_view name() const override { return "hanging"; }
  Co<Status> Prerun(Context, AllocHookRequest) override { return Hang(); }
  Co<Status> Update(Context, AllocHookRequest) override { return Hang(); }
  Co<Status> PreTaskRestart(Context, AllocHookRequest) override { return Hang(); }
  Co<Status> Postrun(Context, AllocHookRequest) override { return Hang(); }
  Co<Status> Destroy(Context, AllocHookRequest) override { return Hang(); }
  Co<Status> Prekill(Context, AllocHookRequest) override { return Hang(); }
  Co<Status> Shutdown(Context, AllocHookRequest) override { return Hang(); }
  // Set to release the calls that hang.
  Event* never() { return &never_; }

 private:
  Co<Status> Hang() {
    co_await never_.Wait();
    co_return Status();
  }
  Event never_;
};

constexpr AllocHookStage kStages[] = {AllocHookStage::kPrerun,         AllocHookStage::kUpdate,
                                      AllocHookStage::kPreTaskRestart, AllocHookStage::kPrekill,
                                      AllocHookStage::kPostrun,        AllocHookStage::kDestroy,
                                      AllocHookStage::kShutdown};

Co<void> RunStage(AllocHookChain* chain, AllocHookStage stage, Context context, Status* out,
                  bool* done) {
  *out = co_await chain->Run(stage, context, AllocHookRequest());
  *done = true;
}

TEST(AllocHookDeadlineTest, AHookThatHangsIsLeftBehindAfterItsDeadlineInEveryStage) {
  for (const AllocHookStage stage : kStages) {
    SimLoop loop;
    std::vector<std::string> calls;
    const auto hanging = std::make_shared<HangingHook>(&loop);
    AllocHookChain chain;
    chain.Add(hanging);
    chain.Add(std::make_shared<NotingHook>("next", &calls, false));
    const Duration deadline = hanging->deadline(stage, AllocHookRequest());
    const long abandoned = AbandonedHookCalls();
    Status status;
    bool done = false;
    loop.Spawn(RunStage(&chain, stage, Context(&loop), &status, &done));
    loop.Advance(deadline + kHookGrace - 1ns);
    EXPECT_FALSE(done);
    loop.Advance(1ns);
    EXPECT_TRUE(done);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message(), std::string(AllocHookStageName(stage)) +
                                            " hook \"hanging\" failed: it took longer " + "than " +
                                            FormatDuration(deadline));
    EXPECT_EQ(calls.empty(), stage == AllocHookStage::kPrerun) << "the next hook is called";
    EXPECT_EQ(AbandonedHookCalls(), abandoned + 1);
    hanging->never()->Set();
    loop.RunReady();
    EXPECT_EQ(loop.live_timers(), 0u);
  }
}

TEST(AllocHookDeadlineTest, AHookThatIgnoresItsInterruptionIsLeftBehind) {
  SimLoop loop;
  const auto hanging = std::make_shared<HangingHook>(&loop);
  AllocHookChain chain;
  chain.Add(hanging);
  Context context(&loop);
  Status status;
  bool done = false;
  loop.Spawn(RunStage(&chain, AllocHookStage::kPrerun, context, &status, &done));
  loop.Advance(10s);
  context.Cancel("the agent is shutting down");
  loop.Advance(kHookGrace);
  EXPECT_TRUE(done);
  EXPECT_EQ(status.code(), Code::kCancelled);
  hanging->never()->Set();
  loop.RunReady();
}

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
      {AllocHookStage::kUpdate, "update"},    {AllocHookStage::kPreTaskRestart, "pre-task-restart"},
      {AllocHookStage::kPrekill, "pre-kill"}, {AllocHookStage::kPostrun, "post-run"},
      {AllocHookStage::kDestroy, "destroy"},  {AllocHookStage::kShutdown, "shutdown"}};
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

}  // namespace
}  // namespace drover
