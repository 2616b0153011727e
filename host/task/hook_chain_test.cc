// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hook_chain.h"

#include "host/task/interruptible.h"
#include "host/task/runner_fixture.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Way = ScriptedHook::Way;

struct HookChainTest : testing::Test {
  using Hook = std::shared_ptr<ScriptedHook>;

  Hook Add(const std::string& name) {
    hooks.push_back(std::make_shared<ScriptedHook>(&loop, name, &log));
    return hooks.back();
  }
  HookChain& chain() {
    if (!made) {
      made.emplace(std::vector<std::shared_ptr<TaskHook>>(hooks.begin(), hooks.end()),
                   [this](const Error& error) { reports.push_back(error.message()); });
    }
    return *made;
  }
  Co<Status> Save() {
    ++saves;
    if (save_error) co_return *save_error;
    co_return Status();
  }
  static Co<void> DoPrestart(HookChainTest* t) {
    std::function<Co<Status>()> save = [t] { return t->Save(); };
    PrestartRequest request;
    request.driver.name = "exec";
    HookChain::PrestartResult result = co_await t->chain().Prestart(
        t->kill, t->shutdown, std::move(request), &t->kept, std::move(save));
    t->result.emplace(std::move(result));
  }
  void StartPrestart() {
    result.reset();
    loop.Spawn(DoPrestart(this));
    loop.RunReady();
  }
  const HookChain::Prepared& prepared() { return std::get<HookChain::Prepared>(*result); }
  const HookChain::Failed& failed() { return std::get<HookChain::Failed>(*result); }

  static Co<void> DoRun(HookChainTest* t, HookStage stage, Context context, bool* over) {
    co_await t->chain().Run(stage, context, PoststartRequest(), &t->kept);
    *over = true;
  }

  SimLoop loop;
  Context kill{&loop};
  Context shutdown{&loop};
  std::vector<Hook> hooks;
  std::optional<HookChain> made;
  std::map<std::string, HookState> kept;
  std::optional<HookChain::PrestartResult> result;
  std::vector<std::string> log;
  std::vector<std::string> reports;
  int saves = 0;
  std::optional<Error> save_error;
};

TEST_F(HookChainTest, PrestartInOrderWithWhatTheOthersGave) {
  const Hook a = Add("a");
  const Hook b = Add("b");
  a->response.env = {{"X", "a"}, {"Y", "a"}};
  a->response.mounts = {{"/in", "/out", true, ""}};
  b->response.env = {{"X", "b"}};
  b->response.devices = {{"/dev/x", "/dev/y", "rw"}};
  b->response.device_env = {{"CARD", "y"}};
  StartPrestart();
  ASSERT_TRUE(result);
  EXPECT_EQ(prepared().env, (StringMap{{"CARD", "y"}, {"X", "b"}, {"Y", "a"}}));
  EXPECT_EQ(prepared().mounts.size(), 1u);
  EXPECT_EQ(prepared().devices.size(), 1u);
  EXPECT_EQ(prepared().device_env, (StringMap{{"CARD", "y"}}));
  EXPECT_EQ(b->seen_env, (StringMap{{"X", "a"}, {"Y", "a"}}));
  EXPECT_THAT(log, ElementsAre("a prestart", "b prestart"));
}

TEST_F(HookChainTest, AHookChoosesTheUserForTheHooksAfterItAndForTheTask) {
  const Hook a = Add("a");
  const Hook b = Add("b");
  a->response.user = "80000";
  StartPrestart();
  EXPECT_EQ(b->seen_user, "80000");
  EXPECT_EQ(prepared().user, "80000");
  EXPECT_EQ(HookChain::StoredUser(kept), "80000");
  EXPECT_EQ(saves, 1) << "before the next hook makes anything for this user";
  a->response.user = "";
  StartPrestart();
  EXPECT_EQ(b->seen_user, "");
  EXPECT_EQ(prepared().user, "");
  EXPECT_EQ(HookChain::StoredUser(kept), "");
}

TEST_F(HookChainTest, WhatIsDoneIsNotRunAgain) {
  const Hook a = Add("a");
  a->response.done = true;
  a->response.env = {{"X", "a"}};
  a->response.data = {{"k", "v"}};
  StartPrestart();
  EXPECT_EQ(saves, 1);
  StartPrestart();
  EXPECT_EQ(prepared().env, (StringMap{{"X", "a"}}));
  EXPECT_EQ(a->On(HookStage::kPrestart).calls, 1);
  EXPECT_EQ(saves, 1);
  EXPECT_EQ(kept.at("a"), (HookState{true, {{"k", "v"}}, {{"X", "a"}}, ""}));
}

TEST_F(HookChainTest, TheVariablesOfAHookThatIsNotDoneAreNotStored) {
  const Hook a = Add("a");
  a->response.env = {{"NOMAD_TOKEN", "secret"}};
  StartPrestart();
  EXPECT_EQ(prepared().env, (StringMap{{"NOMAD_TOKEN", "secret"}}));
  EXPECT_EQ(kept.at("a"), HookState());
  EXPECT_EQ(saves, 0);
}

TEST_F(HookChainTest, WhoGivesMountsIsAskedEachTime) {
  const Hook a = Add("a");
  a->response.done = true;
  a->response.mounts = {{"/in", "/out", false, ""}};
  for (int i = 1; i <= 2; ++i) {
    StartPrestart();
    EXPECT_EQ(prepared().mounts.size(), 1u);
    EXPECT_EQ(a->On(HookStage::kPrestart).calls, i);
  }
}

TEST_F(HookChainTest, DataIsKeptAndStoredOnlyWhenItChanged) {
  const Hook a = Add("a");
  a->response.data = {{"k", "1"}};
  StartPrestart();
  StartPrestart();
  EXPECT_EQ(a->seen_data, (StringMap{{"k", "1"}}));
  EXPECT_EQ(saves, 1);
  a->response.data = {{"k", "2"}};
  StartPrestart();
  EXPECT_EQ(saves, 2);
}

TEST_F(HookChainTest, TheFirstErrorEndsPrestart) {
  for (const bool recoverable : {true, false}) {
    made.reset();
    hooks.clear();
    log.clear();
    const Hook a = Add("a");
    Add("b");
    a->On(HookStage::kPrestart).way = Way::kFail;
    a->On(HookStage::kPrestart).error = Error(Code::kInternal, "broken", recoverable);
    StartPrestart();
    EXPECT_EQ(failed().error.message(), "prestart hook \"a\" failed: broken");
    EXPECT_EQ(failed().error.recoverable(), recoverable);
    EXPECT_EQ(failed().event.type, "Task hook failed");
    EXPECT_EQ(DisplayMessage(failed().event), "a: broken");
    EXPECT_THAT(log, ElementsAre("a prestart"));
  }
}

TEST_F(HookChainTest, StateThatCannotBeStoredIsARecoverableError) {
  Add("a")->response.data = {{"k", "v"}};
  save_error = Error(Code::kResourceExhausted, "disk full");
  StartPrestart();
  EXPECT_THAT(failed().error.message(), HasSubstr("disk full"));
  EXPECT_TRUE(failed().error.recoverable());
}

TEST_F(HookChainTest, PrestartContextEndsWithKillAndShutdown) {
  for (Context* context : {&kill, &shutdown}) {
    made.reset();
    hooks.clear();
    Add("a")->On(HookStage::kPrestart).way = Way::kHang;
    StartPrestart();
    EXPECT_FALSE(result);
    context->Cancel("over");
    loop.RunReady();
    ASSERT_TRUE(result);
    EXPECT_EQ(failed().error.code(), Code::kCancelled);
    kill = Context(&loop);
    shutdown = Context(&loop);
  }
}

TEST_F(HookChainTest, PrestartContextEndsWhenItHasReturnedWhicheverWay) {
  for (const Way way : {Way::kReturn, Way::kFail}) {
    made.reset();
    hooks.clear();
    const Hook a = Add("a");
    a->On(HookStage::kPrestart).way = way;
    StartPrestart();
    EXPECT_TRUE(a->On(HookStage::kPrestart).context->cancelled());
    EXPECT_FALSE(kill.cancelled());
  }
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST_F(HookChainTest, ADeadlineEndsAHook) {
  Add("slow")->On(HookStage::kPrestart).way = Way::kHang;
  StartPrestart();
  loop.Advance(59999ms);
  EXPECT_FALSE(result);
  loop.Advance(1ms);
  ASSERT_TRUE(result);
  EXPECT_EQ(failed().error.message(), "prestart hook \"slow\" failed: it took longer than 1m0s");
}

TEST_F(HookChainTest, AHookThatIgnoresItsContextIsLeftBehind) {
  const long before = AbandonedHookCalls();
  const Hook a = Add("deaf");
  a->On(HookStage::kPrestart).way = Way::kIgnoreContext;
  StartPrestart();
  shutdown.Cancel();
  loop.RunReady();
  EXPECT_FALSE(result);
  loop.Advance(1s);
  ASSERT_TRUE(result);
  EXPECT_EQ(failed().error.code(), Code::kCancelled);
  EXPECT_EQ(AbandonedHookCalls(), before + 1);
  // Nobody receives its late answer, and then nothing holds the hook.
  made.reset();
  hooks.clear();
  a->release.Set();
  loop.RunReady();
  EXPECT_EQ(a->On(HookStage::kPrestart).returned, 1);
  EXPECT_EQ(a.use_count(), 1);
}

TEST_F(HookChainTest, TheOtherStagesCallAllAndReportErrors) {
  for (const HookStage stage : {HookStage::kPoststart, HookStage::kPrekill, HookStage::kExited,
                                HookStage::kStop, HookStage::kUpdate, HookStage::kShutdown}) {
    made.reset();
    hooks.clear();
    log.clear();
    reports.clear();
    Add("a")->On(stage).way = Way::kFail;
    Add("b");
    bool over = false;
    loop.Spawn(DoRun(this, stage, shutdown, &over));
    loop.RunReady();
    EXPECT_TRUE(over);
    const std::string name(HookStageName(stage));
    EXPECT_THAT(log, ElementsAre("a " + name, "b " + name));
    EXPECT_THAT(reports, ElementsAre(name + " hook \"a\" failed: broken"));
  }
}

TEST_F(HookChainTest, HangingHooksOfEachStageEndWithTheirDeadlineOrContext) {
  for (const HookStage stage : {HookStage::kPoststart, HookStage::kPrekill, HookStage::kExited,
                                HookStage::kStop, HookStage::kUpdate, HookStage::kShutdown}) {
    for (const bool by_context : {true, false}) {
      for (const Way way : {Way::kHang, Way::kIgnoreContext}) {
        made.reset();
        hooks.clear();
        const Hook a = Add("a");
        a->On(stage).way = way;
        const Hook b = Add("b");
        Context context(&loop);
        bool over = false;
        loop.Spawn(DoRun(this, stage, context, &over));
        loop.RunReady();
        EXPECT_FALSE(over);
        if (by_context) {
          context.Cancel("shutdown");
          loop.RunReady();
        } else {
          loop.Advance(a->deadline(stage));
        }
        if (way == Way::kIgnoreContext) {
          EXPECT_FALSE(over);
          loop.Advance(1s);
        }
        EXPECT_TRUE(over);
        EXPECT_EQ(b->On(stage).calls, 1) << "the others are called all the same";
        a->release.Set();
        loop.RunReady();
      }
    }
  }
  EXPECT_EQ(loop.live_timers(), 0u);
}

}  // namespace
}  // namespace drover
