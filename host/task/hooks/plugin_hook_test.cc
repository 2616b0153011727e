// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/plugin_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "host/task/runner_fixture.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kEachStage = 0b111110;

// A plugin that answers what the test says, and notes what it is asked.
struct FakeHookPlugin : HookPlugin {
  std::optional<std::uint32_t> HookStages() const override { return stages; }
  Duration HookLimit(PluginHookStage) const override { return 5s; }
  Co<Result<PluginHookAnswer>> CallHook(Context context,
                                        std::shared_ptr<const PluginHookRequest> request) override {
    requests.push_back(*request);
    if (hangs) {
      co_await context.Cancelled();
      co_return context.status().error();
    }
    if (error) co_return *error;
    co_return answer;
  }

  std::optional<std::uint32_t> stages = kEachStage;
  PluginHookAnswer answer;
  std::optional<Error> error;
  bool hangs = false;
  std::vector<PluginHookRequest> requests;
};

struct PluginHookTest : RunnerTest {
  PluginHookTest() {
    options.location.task_dir = "/alloc/web";
    options.location.secrets_dir = "/alloc/web/secrets";
    driver.the_info.fs_isolation = FsIsolation::kChroot;
    AddPlugin("vault", &plugin);
  }
  void AddPlugin(const std::string& name, FakeHookPlugin* hooks) {
    PluginHookOptions of;
    of.plugin = name;
    of.hooks = hooks;
    of.node_id = "node";
    options.hooks_before_stats.push_back(std::make_shared<PluginHook>(std::move(of)));
  }
  std::vector<int> Asked() const {
    std::vector<int> stages;
    for (const PluginHookRequest& request : plugin.requests) {
      stages.push_back(static_cast<int>(request.stage));
    }
    return stages;
  }
  StringMap Kept() const {
    const auto& hooks = runner->local_state().hooks;
    const auto found = hooks.find("plugin_vault");
    return found == hooks.end() ? StringMap() : found->second.data;
  }

  FakeHookPlugin plugin;
};

TEST_F(PluginHookTest, ItHasTheStagesOfThePlugin) {
  const std::shared_ptr<TaskHook> hook = options.hooks_before_stats[0];
  plugin.stages = HookStageBit(PluginHookStage::kExited);
  EXPECT_FALSE(hook->Has(HookStage::kPrestart));
  EXPECT_TRUE(hook->Has(HookStage::kExited));
  EXPECT_FALSE(hook->Has(HookStage::kPrekill));
  plugin.stages = std::nullopt;  // not loaded: nothing is left out
  EXPECT_TRUE(hook->Has(HookStage::kPrestart));
  EXPECT_TRUE(hook->Has(HookStage::kStop));
  EXPECT_FALSE(hook->Has(HookStage::kUpdate));
  EXPECT_FALSE(hook->Has(HookStage::kShutdown));
  plugin.stages = 0;  // a driver without hooks: the operator must hear of it
  EXPECT_TRUE(hook->Has(HookStage::kPrestart));
  EXPECT_FALSE(hook->Has(HookStage::kStop));
  // The plugin itself ends its calls first.
  EXPECT_EQ(hook->deadline(HookStage::kExited), 15s);
  EXPECT_EQ(hook->deadline(HookStage::kPrestart), 65s);
}

TEST_F(PluginHookTest, AStageAfterTheOtherFromStartToEnd) {
  job().job_namespace = "prod";
  job().meta = {{"a", "job"}, {"b", "job"}};
  task().meta = {{"b", "task"}};
  Start();
  const RunId run = driver.last_config("web")->run_id;
  EXPECT_THAT(Asked(), ElementsAre(1, 2));
  driver.End("web", ExitResult{7, 0, false, ""});
  loop.RunReady();
  Finish();
  EXPECT_THAT(Asked(), ElementsAre(1, 2, 4, 5));
  for (const PluginHookRequest& request : plugin.requests) {
    EXPECT_EQ(request.alloc_id, alloc->id);
    EXPECT_EQ(request.task_name, "web");
    EXPECT_EQ(request.job_id, "job");
    EXPECT_EQ(request.job_namespace, "prod");
    EXPECT_EQ(request.group_name, "group");
    EXPECT_EQ(request.node_id, "node");
    EXPECT_EQ(request.driver, "fake");
    EXPECT_EQ(request.secrets_dir, "/alloc/web/secrets");
    EXPECT_EQ(request.meta, (StringMap{{"a", "job"}, {"b", "task"}}));
  }
  EXPECT_EQ(plugin.requests[0].run, std::nullopt);
  EXPECT_EQ(plugin.requests[1].run, run);
  EXPECT_EQ(plugin.requests[2].run, run);
  EXPECT_EQ(plugin.requests[2].exited, (ExitResult{7, 0, false, ""}));
  EXPECT_EQ(plugin.requests[3].run, std::nullopt);
  EXPECT_EQ(plugin.requests[3].exited, std::nullopt);
}

TEST_F(PluginHookTest, ItsAnswerReachesTheDriver) {
  plugin.answer.env = {{"TOKEN", "t"}};
  plugin.answer.mounts = {{"/in", "/srv/out", true, "", true}};
  plugin.answer.devices = {{"/dev/in", "/dev/out", "r"}};
  plugin.answer.event = "it is there";
  plugin.stages = HookStageBit(PluginHookStage::kPrestart);
  Start();
  const auto config = driver.last_config("web");
  EXPECT_EQ(config->mounts, plugin.answer.mounts);
  EXPECT_EQ(config->devices, plugin.answer.devices);
  EXPECT_EQ(config->env.at("TOKEN"), "t");
  EXPECT_THAT(types, ElementsAre("Received", "Task Setup", "Task Hook", "Started"));
  // A variable may be a secret, so it is not stored.
  for (const auto& saved : store.saved) {
    for (const auto& [name, state] : saved->hooks) EXPECT_THAT(state.env, IsEmpty()) << name;
  }
  EXPECT_TRUE(Restart().ok());
  loop.RunReady();
  EXPECT_THAT(Asked(), ElementsAre(1, 1)) << "each start asks";
  Kill();
}

TEST_F(PluginHookTest, PluginsAreAskedInTheirOrder) {
  FakeHookPlugin second;
  AddPlugin("second", &second);
  plugin.error = Error(Code::kInternal, "first fails");
  Start();
  EXPECT_EQ(plugin.requests.size(), 1u);
  EXPECT_THAT(second.requests, IsEmpty());
  Finish();
  EXPECT_EQ(second.requests.size(), 1u) << "stop";
}

TEST_F(PluginHookTest, AnErrorOfPrestartFailsTheStartWithASentence) {
  plugin.error = Error(Code::kPermissionDenied, "no secret for you");
  Start();
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_TRUE(state()->failed);
  bool told = false;
  for (const auto& event : state()->events) {
    if (event->type != event_type::kHookFailed) continue;
    told = true;
    EXPECT_EQ(event->Detail(event_key::kMessage), "plugin vault: no secret for you");
  }
  EXPECT_TRUE(told);
  Finish();
}

TEST_F(PluginHookTest, APluginThatHangsDelaysNoTaskForLong) {
  plugin.hangs = true;
  Start();
  loop.Advance(64s);
  EXPECT_NE(phase(), RunnerState::kDead);
  loop.Advance(1s);
  EXPECT_EQ(phase(), RunnerState::kDead);
  EXPECT_EQ(driver.Count("start"), 0);
  runner->StartKill(std::nullopt);
  loop.RunReady();
  EXPECT_FALSE(over);
  loop.Advance(15s);
  EXPECT_TRUE(over);
}

TEST_F(PluginHookTest, AKillEndsAPrestartThatHangs) {
  plugin.hangs = true;
  plugin.stages = HookStageBit(PluginHookStage::kPrestart);
  Start();
  Kill();
  EXPECT_TRUE(over);
}

TEST_F(PluginHookTest, ErrorsAfterTheStartAreOnlyReported) {
  job().type = JobType::kBatch;
  Start();
  plugin.error = Error(Code::kUnavailable, "the plugin is gone");
  driver.End("web", ExitResult{});
  loop.RunReady();
  Finish();
  EXPECT_FALSE(state()->failed);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0], "exited hook \"plugin_vault\" failed: the plugin is gone");
  EXPECT_EQ(reports[1], "stop hook \"plugin_vault\" failed: the plugin is gone");
}

TEST_F(PluginHookTest, AMountNeedsADriverThatMounts) {
  driver.the_info.fs_isolation = FsIsolation::kNone;
  plugin.answer.mounts = {{"/in", "/srv/out", true, "", true}};
  Start();
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_EQ(phase(), RunnerState::kDead);
  Finish();
}

TEST_F(PluginHookTest, ItsDataAreStoredAndComeBack) {
  plugin.answer.data = StringMap{{"lease", "1"}};
  Start();
  EXPECT_THAT(plugin.requests[0].data, IsEmpty());
  EXPECT_EQ(plugin.requests[1].data, (StringMap{{"lease", "1"}}));
  ASSERT_FALSE(store.saved.empty());
  EXPECT_EQ(store.saved.back()->hooks.at("plugin_vault").data, (StringMap{{"lease", "1"}}));
  plugin.answer.data = StringMap{{"lease", "2"}};
  driver.End("web", ExitResult{});
  loop.RunReady();
  EXPECT_EQ(Kept(), (StringMap{{"lease", "2"}})) << "of exited";
  plugin.answer.data = std::nullopt;
  Finish();
  EXPECT_EQ(plugin.requests.back().data, (StringMap{{"lease", "2"}}));
}

// The agent died after prestart, and before the driver heard of the task.
TEST_F(PluginHookTest, AnAgentThatDiesBeforeTheStartAsksAgain) {
  TaskRecords restored;
  restored.state.state = RunnerState::kPending;
  AppendTaskEvent(&restored.state, TaskEvent(event_type::kReceived), 1);
  HookState kept;
  kept.data = {{"lease", "1"}};
  restored.local.hooks["plugin_vault"] = kept;
  options.restored = restored;
  Start();
  EXPECT_THAT(Asked(), ElementsAre(1, 2));
  EXPECT_EQ(plugin.requests[0].data, kept.data);
  EXPECT_EQ(driver.Count("start"), 1);
  Kill();
}

TEST_F(PluginHookTest, ATaskThatRunsIsNotPreparedAgain) {
  const RunId run = RunId::Random();
  driver.Plant(run, "web");
  TaskRecords restored;
  restored.state.state = RunnerState::kRunning;
  restored.state.started_at = 1;
  restored.local.run_id = run;
  restored.local.task_config_id = "alloc/web/12345678";
  restored.local.handle = TaskHandle{"fake", "1.0.0", 1, "old"};
  auto config = std::make_shared<TaskConfig>();
  config->run_id = run;
  config->task_name = "web";
  restored.local.config = config;
  restored.local.hooks["plugin_vault"].data = {{"lease", "1"}};
  options.restored = restored;
  Start();
  EXPECT_EQ(phase(), RunnerState::kRunning);
  EXPECT_THAT(Asked(), ElementsAre(2));
  EXPECT_EQ(plugin.requests[0].run, run);
  EXPECT_EQ(plugin.requests[0].data, (StringMap{{"lease", "1"}}));
  Kill();
  EXPECT_THAT(Asked(), ElementsAre(2, 3, 4, 5));
}

}  // namespace
}  // namespace drover
