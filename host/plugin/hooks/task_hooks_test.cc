// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The hooks of tests/fault_drivers/hooking.c, in this process and in a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/plugin/registry_fixture.h"

namespace drover {
namespace {

using testing::HasSubstr;

class TaskHooksTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  TaskHooksTest() {
    isolation_ = GetParam();
    options_.limits.relaunch_first = 10ms;
  }
  bool contained() const { return isolation_ == "process"; }

  HookPlugin* Hooking(const std::string& file = "hooking") {
    Add("hooking", TestPlugin(file));
    options_.plugins.back().isolation = isolation_;
    reports_ = Load();
    return registry_->FindHooks("hooking");
  }
  static std::shared_ptr<PluginHookRequest> Request(PluginHookStage stage, const std::string& name,
                                                    const std::string& what) {
    auto request = std::make_shared<PluginHookRequest>();
    request->stage = stage;
    request->alloc_id = "a";
    request->task_name = "web";
    request->meta["hook_" + name] = what;
    return request;
  }
  Result<PluginHookAnswer> Prestart(HookPlugin* hooks, const std::string& what) {
    return Await(hooks->CallHook(context_, Request(PluginHookStage::kPrestart, "prestart", what)));
  }
  std::string Mistake(HookPlugin* hooks, const std::string& what) {
    const Result<PluginHookAnswer> answer = Prestart(hooks, what);
    return answer.ok() ? "none" : answer.error().message();
  }

  std::vector<PluginReport> reports_;
};

INSTANTIATE_TEST_SUITE_P(All, TaskHooksTest, testing::Values("in-process", "process"), PlaceName);

TEST_P(TaskHooksTest, AnAnswerArrives) {
  HookPlugin* const hooks = Hooking();
  EXPECT_EQ(reports_[0].message, "");
  EXPECT_EQ(hooks->HookStages(), 0b111110u);
  EXPECT_TRUE(registry_->Find("hooking")->info().only_task_hooks);
  const Result<PluginHookAnswer> variable = Prestart(hooks, "env");
  ASSERT_TRUE(variable.ok()) << variable.error().message();
  EXPECT_EQ(variable->env, (StringMap{{"HOOKED", "yes"}}));
  EXPECT_EQ(variable->data, std::nullopt);

  const auto request = Request(PluginHookStage::kExited, "exited", "count");
  request->data = {{"count", "41"}};
  request->run = RunId::Random();
  request->exited = ExitResult{3, 0, false, ""};
  const Result<PluginHookAnswer> counted = Await(hooks->CallHook(context_, request));
  ASSERT_TRUE(counted.ok()) << counted.error().message();
  EXPECT_EQ(counted->data, (StringMap{{"count", "42"}}));
  EXPECT_EQ(counted->event, "exited number 42");
}

TEST_P(TaskHooksTest, AnAnswerThatBreaksARuleIsAnError) {
  HookPlugin* const hooks = Hooking();
  EXPECT_EQ(Mistake(hooks, "fail"), "no luck today");
  EXPECT_THAT(Mistake(hooks, "foreign"),
              HasSubstr("the variable \"NOMAD_ALLOC_ID\" belongs to the host"));
  EXPECT_THAT(Mistake(hooks, "relative"),
              HasSubstr("the host_path of a mount \"/tmp/../etc\" is no absolute path"));
  EXPECT_THAT(Mistake(hooks, "garbage"), HasSubstr("its answer"));
  const auto late = Request(PluginHookStage::kStop, "stop", "late_env");
  EXPECT_THAT(Await(hooks->CallHook(context_, late)).error().message(),
              HasSubstr("its answer to hook stop: only prestart may answer variables"));
  EXPECT_TRUE(Prestart(hooks, "twice").ok());  // the second answer is dropped
  EXPECT_TRUE(Until([&] { return CountInLog("the completion is dropped") == 1; }));
  EXPECT_TRUE(Prestart(hooks, "").ok());
}

TEST_P(TaskHooksTest, ACallHasADeadline) {
  options_.limits.prestart_hook = 100ms;
  HookPlugin* const hooks = Hooking();
  EXPECT_EQ(hooks->HookLimit(PluginHookStage::kPrestart), 100ms);
  const Result<PluginHookAnswer> late = Prestart(hooks, "hang");
  EXPECT_FALSE(late.ok());
  EXPECT_THAT(late.error().message(), HasSubstr("hook prestart"));
  // A process of its own is ended, and the next one answers. In this process, other calls go on.
  EXPECT_TRUE(Until([&] { return Prestart(hooks, "").ok(); }));
}

TEST_P(TaskHooksTest, ACallThatIsGivenUpEnds) {
  HookPlugin* const hooks = Hooking();
  const Context soon = context_.WithTimeout(50ms);
  const auto hang = Request(PluginHookStage::kExited, "exited", "hang");
  EXPECT_EQ(Await(hooks->CallHook(soon, hang)).code(), Code::kTimeout);
  EXPECT_TRUE(Prestart(hooks, "env").ok());
}

TEST_P(TaskHooksTest, ACrashIsAnErrorAndTheNextCallFindsANewProcess) {
  if (!contained()) GTEST_SKIP() << "a crash would end this test";
  HookPlugin* const hooks = Hooking();
  const Result<PluginHookAnswer> crashed = Prestart(hooks, "crash");
  EXPECT_EQ(crashed.code(), Code::kUnavailable);
  EXPECT_THAT(crashed.error().message(), HasSubstr("crashed in hook"));
  EXPECT_TRUE(Until([&] { return Prestart(hooks, "env").ok(); }));
}

TEST_P(TaskHooksTest, AFunctionThatDoesNotReturnEndsOnlyItsProcess) {
  if (!contained()) GTEST_SKIP() << "the thread would be held for ever";
  options_.limits.prestart_hook = 100ms;
  HookPlugin* const hooks = Hooking();
  EXPECT_FALSE(Prestart(hooks, "block").ok());
  EXPECT_TRUE(Until([&] { return Prestart(hooks, "env").ok(); }));
}

TEST_P(TaskHooksTest, ADriverWithoutHooksSaysSo) {
  Add("test", TestPlugin("test"));
  options_.plugins.back().isolation = isolation_;
  Load();
  HookPlugin* const hooks = registry_->FindHooks("test");
  EXPECT_EQ(hooks->HookStages(), 0u);
  EXPECT_EQ(Prestart(hooks, "").code(), Code::kUnimplemented);
  EXPECT_EQ(registry_->FindHooks("other"), nullptr);
}

TEST_P(TaskHooksTest, AnOfferWithoutTheTableIsNotLoaded) {
  HookPlugin* const hooks = Hooking("hooks_missing");
  EXPECT_THAT(reports_[0].message,
              HasSubstr("offers task hooks but has no drover.task-hooks/1/draft"));
  EXPECT_FALSE(Prestart(hooks, "env").ok());
}

}  // namespace
}  // namespace drover
