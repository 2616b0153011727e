// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// A plugin is replaced while its tasks run, in the host process and in a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "host/base/gate.h"
#include "host/plugin/registry_fixture.h"
#include "host/plugin/supervised_driver.h"

namespace drover {
namespace {

#ifdef MOCK_DRIVER_SO

using testing::AllOf;
using testing::HasSubstr;

constexpr char kLongRun[] = R"({"run_for":"1h","stats_each_interval":true})";

class PluginReloadTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  PluginReloadTest() {
    options_.limits.relaunch_first = 20ms;
    options_.limits.relaunch_patience = 500ms;
    options_.limits.shutdown = 500ms;
    options_.limits.abandoned = 10ms;
    options_.limits.reload_drain = 300ms;
    options_.limits.reload_recover = 2s;
    path_ = directory_.path() + "/mock_driver.so";
    WriteFile(ReadFile(MOCK_DRIVER_SO));
    Add("mock_driver", path_);
    options_.plugins[0].isolation = GetParam();
  }
  ~PluginReloadTest() override {
    context_.Cancel("the test ends");
    Await(waits_.Close());
  }

  void LoadMock() {
    ASSERT_EQ(Load()[0].message, "");
    Await(registry_->RestoreComplete(context_, "mock_driver", std::vector<RunId>()));
  }
  static std::string ReadFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Writes it in place: the same file then has another content.
  void WriteFile(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    chmod(path_.c_str(), 0644);
  }
  // The loader ignores bytes behind the tables of the file.
  void ReplaceByNext() {
    const std::string next = ReadFile(MOCK_DRIVER_SO) + std::string(++replaced_, 'x');
    std::ofstream(path_ + ".new", std::ios::binary) << next;
    chmod((path_ + ".new").c_str(), 0644);
    std::filesystem::rename(path_ + ".new", path_);
  }
  PluginConfig Block() { return *registry_->FindConfig("mock_driver"); }
  Driver* driver() { return registry_->Find("mock_driver"); }

  std::shared_ptr<const TaskConfig> Started(const std::string& json) {
    auto config = Config(json);
    const auto started = Await(driver()->Start(context_, config));
    EXPECT_TRUE(started.ok()) << started.error().message();
    return config;
  }
  struct Watched {
    std::optional<Result<ExitResult>> end;
    int samples = 0;
  };
  // Waits for the end of a task and follows its statistics, as a runner does.
  std::shared_ptr<Watched> Watch(const RunId& run) {
    auto watched = std::make_shared<Watched>();
    waits_.Spawn(
        [](Driver* of, Context context, RunId id, std::shared_ptr<Watched> to) -> Co<void> {
          to->end = co_await of->Wait(context, id);
        }(driver(), context_, run, watched));
    waits_.Spawn(
        [](Driver* of, Context context, RunId id, std::shared_ptr<Watched> to) -> Co<void> {
          std::function<void(TaskUsage)> sink = [to](const TaskUsage&) { ++to->samples; };
          StatsRequest request;
          request.interval = 20ms;
          (void)co_await of->Stats(context, id, request, std::move(sink));
        }(driver(), context_, run, watched));
    return watched;
  }
  std::string ReloadError(PluginConfig wanted) {
    const Result<PluginReport> done = Await(registry_->Reload(context_, std::move(wanted)));
    return done.ok() ? "it was reloaded" : done.error().message();
  }

  TestDirectory directory_;
  std::string path_;
  std::size_t replaced_ = 0;
  Gate waits_{&loop_};
};

TEST_P(PluginReloadTest, TasksGoOnAndWhoWatchesThemDoesNotHearOfIt) {
  LoadMock();
  std::vector<std::shared_ptr<const TaskConfig>> tasks;
  std::vector<std::shared_ptr<Watched>> watched;
  for (int i = 0; i < 100; ++i) {
    tasks.push_back(Started(kLongRun));
    watched.push_back(Watch(tasks.back()->run_id));
  }
  const auto ends = Started(R"({"run_for":"400ms","exit_code":7})");
  const auto end = Watch(ends->run_id);
  for (int round = 1; round <= 2; ++round) {
    ReplaceByNext();
    LoadedDriver* const before = registry_->FindLoaded("mock_driver");
    const std::string sha256 = registry_->Report("mock_driver")->sha256;
    EXPECT_EQ(ReloadError(Block()), "it was reloaded");
    EXPECT_NE(registry_->FindLoaded("mock_driver"), before);
    EXPECT_NE(registry_->Report("mock_driver")->sha256, sha256);
    for (const auto& of : watched) of->samples = 0;
    EXPECT_TRUE(Until([&] {
      return std::all_of(watched.begin(), watched.end(),
                         [](const auto& of) { return of->samples > 0; });
    }));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      ASSERT_FALSE(watched[i]->end) << "task " << i;
      const auto status = Await(driver()->Inspect(context_, tasks[i]->run_id));
      ASSERT_TRUE(status.ok()) << status.error().message();
      EXPECT_EQ(status->state, TaskState::kRunning);
    }
  }
  EXPECT_TRUE(Until([&] { return end->end.has_value(); }));
  ASSERT_TRUE(end->end->ok()) << end->end->error().message();
  EXPECT_EQ((*end->end)->exit_code, 7);
  EXPECT_EQ(driver()->fingerprint().health, Health::kHealthy);
  // The newest instance can stop all of them.
  for (const auto& task : tasks) {
    EXPECT_TRUE(Await(driver()->Stop(context_, task->run_id, 1s, std::string())).ok());
    EXPECT_TRUE(Await(driver()->Destroy(context_, task->run_id, false)).ok());
  }
}

TEST_P(PluginReloadTest, WhateverFailsTheOldOneStaysInCharge) {
  LoadMock();
  const auto task = Started(kLongRun);
  const auto watched = Watch(task->run_id);
  LoadedDriver* const before = registry_->FindLoaded("mock_driver");
  const auto fails = [&](PluginConfig wanted, const std::string& why) {
    const TimePoint began = BootClock::now();
    EXPECT_THAT(ReloadError(std::move(wanted)),
                AllOf(HasSubstr("plugin mock_driver was not reloaded"),
                      HasSubstr("stays in charge"), HasSubstr(why)));
    EXPECT_LT(BootClock::now() - began, 15s) << why;
    EXPECT_THAT(log(), HasSubstr(why));
    EXPECT_EQ(registry_->FindLoaded("mock_driver"), before) << why;
    EXPECT_FALSE(watched->end) << why;
    EXPECT_EQ(Await(driver()->Inspect(context_, task->run_id))->state, TaskState::kRunning) << why;
    const auto other = Started(kLongRun);
    EXPECT_TRUE(Await(driver()->Destroy(context_, other->run_id, true)).ok()) << why;
    watched->samples = 0;
    EXPECT_TRUE(Until([&] { return watched->samples > 0; })) << why;
  };
  const auto file = [&](const std::string& name) {
    PluginConfig wanted = Block();
    wanted.file = name;
    return wanted;
  };
  const auto config = [&](const std::string& json) {
    PluginConfig wanted = Block();
    wanted.config_json = json;
    return wanted;
  };
  fails(file(directory_.path() + "/none.so"), "none.so: No such file");
  fails(file(TestPlugin("abi_major")), "ABI major 7");
  fails(file(TestPlugin("constructor_crashes")), "crashes when it is loaded");
  fails(file(TestPlugin("test")), "is driver \"test\", not \"mock_driver\"");
  fails(config(R"({"fail_in":"create"})"), "cannot be started");
  fails(config(R"({"fail_in":"fingerprint"})"), "not healthy");
  fails(config(R"({"fail_in":"recover"})"), "cannot recover 1 of 1 tasks");
  fails(config(R"({"fail_in":"restore_complete"})"), "restore_complete");
  fails(config(R"({"silent_in":"recover"})"), "cannot recover 1 of 1 tasks");
  if (std::string(GetParam()) == "process") {
    fails(config(R"({"crash_in":"create","crash_by":"segv"})"), "crashed in create");
    fails(config(R"({"crash_in":"recover","crash_by":"segv"})"), "cannot recover 1 of 1 tasks");
    fails(config(R"({"hang_in":"recover"})"), "cannot recover 1 of 1 tasks");
  }
  WriteFile("no library at all");
  fails(Block(), path_);
  ReplaceByNext();
  EXPECT_EQ(ReloadError(Block()), "it was reloaded");
  EXPECT_EQ(Await(driver()->Inspect(context_, task->run_id))->state, TaskState::kRunning);
}

TEST_P(PluginReloadTest, AFileThatIsWrittenAnewInItsPlaceDoesNotHarmWhatRuns) {
  LoadMock();
  const auto task = Started(kLongRun);
  WriteFile(std::string(ReadFile(MOCK_DRIVER_SO).size(), '\0'));
  const auto other = Started(R"({"run_for":"10ms","exit_code":3})");
  EXPECT_EQ(Await(driver()->Wait(context_, other->run_id))->exit_code, 3);
  // The new bytes on the disk do not matter, not even to another process.
  if (SupervisedDriver* contained = registry_->FindContained("mock_driver")) {
    kill(contained->status().pid, SIGKILL);
    EXPECT_TRUE(Until([&] { return contained->status().launches == 2 && contained->current(); }));
    EXPECT_THAT(registry_->Inspect("mock_driver")->death->Text("p"), HasSubstr("Killed"));
  }
  EXPECT_EQ(Await(driver()->Inspect(context_, task->run_id))->state, TaskState::kRunning);
}

TEST_P(PluginReloadTest, OnlyWhatHasChangedIsRefreshed) {
  LoadMock();
  const auto task = Started(kLongRun);
  LoadedDriver* const first = registry_->FindLoaded("mock_driver");
  EXPECT_FALSE(Await(registry_->Refresh(context_, Block())).value());
  // A change of the configuration alone goes to the running instance.
  PluginConfig wanted = Block();
  wanted.config_json = R"({"fail_in":"inspect"})";
  EXPECT_TRUE(Await(registry_->Refresh(context_, wanted)).value());
  EXPECT_EQ(registry_->FindLoaded("mock_driver"), first);
  EXPECT_FALSE(Await(driver()->Inspect(context_, task->run_id)).ok());
  wanted.config_json = R"({"fail_in":"configure"})";
  EXPECT_TRUE(Await(registry_->Refresh(context_, wanted)).ok());
  wanted.config_json = "{}";
  EXPECT_THAT(Await(registry_->Refresh(context_, wanted)).error().message(),
              HasSubstr("was not reloaded"));
  EXPECT_EQ(Block().config_json, R"({"fail_in":"configure"})");
  ReplaceByNext();
  EXPECT_TRUE(Await(registry_->Refresh(context_, wanted)).value());
  EXPECT_NE(registry_->FindLoaded("mock_driver"), first);
  EXPECT_TRUE(Await(driver()->Inspect(context_, task->run_id)).ok());
}

TEST_P(PluginReloadTest, CommandsKeepTheInstanceThatRunsThem) {
  LoadMock();
  const auto task = Started(R"({"run_for":"1h","exec_command":{"run_for":"600ms","exit_code":9}})");
  ExecRequest request;
  request.command = {"x"};
  auto session = Await(driver()->Exec(context_, task->run_id, std::move(request)));
  ASSERT_TRUE(session.ok()) << session.error().message();
  EXPECT_EQ(ReloadError(Block()), "it was reloaded");
  EXPECT_THAT(log(), HasSubstr("stays for 1 commands"));
  const auto end = Await((*session)->Wait(context_));
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_EQ(end->exit_code, 9);
}

TEST_P(PluginReloadTest, AStartOnItsWayRefusesItAndOtherCallsAreMadeAgain) {
  LoadMock();
  const auto task = Started(kLongRun);
  const auto silent_start = Config(R"({"run_for":"1h","silent_in":"start"})");
  Context asking = context_.Child();
  std::optional<Result<StartedTask>> started;
  waits_.Spawn([](Driver* of, Context context, std::shared_ptr<const TaskConfig> config,
                  std::optional<Result<StartedTask>>* to) -> Co<void> {
    *to = co_await of->Start(context, config);
  }(driver(), asking, silent_start, &started));
  EXPECT_THAT(ReloadError(Block()), HasSubstr("1 of its starts have not ended within 300ms"));
  EXPECT_FALSE(started);
  asking.Cancel();
  EXPECT_TRUE(Until([&] { return started.has_value(); }));
  (void)Await(driver()->Destroy(context_, silent_start->run_id, true));
  // The next instance sends a signal that the old one never answers.
  PluginConfig silent = Block();
  silent.config_json = R"({"silent_in":"signal"})";
  EXPECT_EQ(ReloadError(silent), "it was reloaded");
  std::optional<Status> signalled;
  waits_.Spawn([](Driver* of, Context context, RunId run, std::optional<Status>* to) -> Co<void> {
    *to = co_await of->Signal(context, run, "SIGHUP");
  }(driver(), context_, task->run_id, &signalled));
  PluginConfig good = Block();
  good.config_json = "{}";
  EXPECT_EQ(ReloadError(good), "it was reloaded");
  EXPECT_TRUE(Until([&] { return signalled.has_value(); }));
  EXPECT_TRUE(signalled->ok()) << signalled->error().message();
}

TEST_P(PluginReloadTest, ADestroyThatIsGivenUpIsMadeAgainByTheNextOne) {
  options_.plugins[0].config_json = R"({"silent_in":"destroy"})";
  LoadMock();
  const auto task = Started(kLongRun);
  std::optional<Status> destroyed;
  waits_.Spawn([](Driver* of, Context context, RunId run, std::optional<Status>* to) -> Co<void> {
    *to = co_await of->Destroy(context, run, true);
  }(driver(), context_, task->run_id, &destroyed));
  PluginConfig good = Block();
  good.config_json = "{}";
  EXPECT_EQ(ReloadError(good), "it was reloaded");
  EXPECT_TRUE(Until([&] { return destroyed.has_value(); }));
  EXPECT_THAT(destroyed->ok() ? Code::kOk : destroyed->code(),
              testing::AnyOf(Code::kOk, Code::kNotFound))
      << destroyed->error().message();
}

TEST_P(PluginReloadTest, ABrokenPluginIsBroughtBackByAGoodFile) {
  WriteFile("no library");
  EXPECT_NE(Load()[0].message, "");
  EXPECT_EQ(driver()->fingerprint().health, Health::kUnhealthy);
  ReplaceByNext();
  EXPECT_TRUE(Await(registry_->Refresh(context_, Block())).value());
  EXPECT_EQ(driver()->fingerprint().health, Health::kHealthy);
  Started(kLongRun);
}

// The runner stores each new handle, whether a reload or the end of the process brought it. Its
// wait for the end of the task goes on.
TEST_P(PluginReloadTest, EachNewHandleIsReportedAndTheWaitGoesOn) {
  LoadMock();
  const auto task = Started(R"({"run_for":"1h","renew_handle":true})");
  const auto watch = Watch(task->run_id);
  std::vector<TaskHandle> heard;
  const Subscription handles = driver()->OnHandle(
      task->run_id, [&heard](const TaskHandle& handle) { heard.push_back(handle); });
  const auto end_process = [this](int launches) {
    SupervisedDriver* const contained = registry_->FindContained("mock_driver");
    kill(contained->status().pid, SIGKILL);
    EXPECT_TRUE(
        Until([&] { return contained->status().launches == launches && contained->current(); }));
  };
  const bool contained = registry_->FindContained("mock_driver") != nullptr;
  // Both causes, in either order, one immediately after the other.
  EXPECT_EQ(ReloadError(Block()), "it was reloaded");
  EXPECT_EQ(heard.size(), 1u);
  if (contained) end_process(2);
  EXPECT_EQ(heard.size(), contained ? 2u : 1u);
  EXPECT_EQ(ReloadError(Block()), "it was reloaded");
  const std::size_t all = contained ? 3 : 2;
  ASSERT_EQ(heard.size(), all);
  for (std::size_t i = 1; i < all; ++i) EXPECT_NE(heard[i], heard[i - 1]);
  EXPECT_FALSE(Until([&] { return watch->end.has_value(); }, 300ms))
      << watch->end->error().message();
  EXPECT_EQ(Await(driver()->Inspect(context_, task->run_id))->state, TaskState::kRunning);
}

// The process of the instance in charge ends while it is replaced, or has ended before.
class ReloadBesideADeathTest : public PluginReloadTest {
 protected:
  SupervisedDriver* contained() { return registry_->FindContained("mock_driver"); }
  void KillProcess() { kill(contained()->status().pid, SIGKILL); }
  // Counts the lines of the log that announce a launch.
  int Launching() { return CountInLog("launched again in"); }
  PluginConfig Configured(const std::string& json) {
    PluginConfig wanted = Block();
    wanted.config_json = json;
    return wanted;
  }
  void ExpectRunning(const std::shared_ptr<const TaskConfig>& task) {
    const auto status = Await(driver()->Inspect(context_, task->run_id));
    ASSERT_TRUE(status.ok()) << status.error().message();
    EXPECT_EQ(status->state, TaskState::kRunning);
  }
};

TEST_P(ReloadBesideADeathTest, AReloadComesBeforeTheNextLaunch) {
  options_.limits.relaunch_first = 1h;
  LoadMock();
  const auto task = Started(kLongRun);
  const auto watched = Watch(task->run_id);
  KillProcess();
  ASSERT_TRUE(Until([&] { return Launching() == 1; }));
  EXPECT_EQ(ReloadError(Configured("{}")), "it was reloaded");
  ExpectRunning(task);
  EXPECT_EQ(contained()->status().launches, 1);
  EXPECT_EQ(contained()->status().last_end, "") << "that was the end of another process";
  watched->samples = 0;
  EXPECT_TRUE(Until([&] { return watched->samples > 0; }));
  EXPECT_FALSE(watched->end);
}

TEST_P(ReloadBesideADeathTest, AfterAReloadThatFailsTheOldOneIsLaunchedAgain) {
  options_.limits.relaunch_first = 1h;
  LoadMock();
  const auto task = Started(kLongRun);
  KillProcess();
  ASSERT_TRUE(Until([&] { return Launching() == 1; }));
  EXPECT_THAT(ReloadError(Configured(R"({"fail_in":"recover"})")),
              HasSubstr("cannot recover 1 of 1 tasks"));
  EXPECT_TRUE(Until([&] { return Launching() == 2; })) << log();
  EXPECT_EQ(contained()->current(), nullptr);
}

TEST_P(ReloadBesideADeathTest, ADeathWhileCallsAreHeldIsMadeGoodByTheNextOne) {
  options_.plugins[0].config_json = R"({"silent_in":"signal"})";
  options_.limits.reload_drain = 1s;
  LoadMock();
  const auto task = Started(kLongRun);
  const auto watched = Watch(task->run_id);
  for (const bool fails : {true, false}) {
    const pid_t pid = contained()->status().pid;
    // It delays the reload until the process is killed.
    std::optional<Status> signalled;
    waits_.Spawn([](Driver* of, Context context, RunId run, std::optional<Status>* to) -> Co<void> {
      *to = co_await of->Signal(context, run, "SIGHUP");
    }(driver(), context_, task->run_id, &signalled));
    std::optional<std::string> said;
    waits_.Spawn([](PluginRegistry* of, Context context, PluginConfig wanted,
                    std::optional<std::string>* to) -> Co<void> {
      const Result<PluginReport> done = co_await of->Reload(context, std::move(wanted));
      *to = done.ok() ? "it was reloaded" : done.error().message();
    }(registry_.get(), context_, Configured(fails ? R"({"fail_in":"recover"})" : "{}"), &said));
    Until([] { return false; }, 300ms);
    EXPECT_FALSE(said);
    kill(pid, SIGKILL);
    ASSERT_TRUE(Until([&] { return said.has_value(); }));
    EXPECT_THAT(*said, HasSubstr(fails ? "cannot recover 1 of 1 tasks" : "it was reloaded"));
    ASSERT_TRUE(Until([&] { return signalled.has_value(); }));
    EXPECT_FALSE(signalled->ok());
    ASSERT_TRUE(Until([&] { return contained()->current() != nullptr; }));
    ExpectRunning(task);
    EXPECT_FALSE(watched->end);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReloadBesideADeathTest, testing::Values("process"),
                         [](const auto&) { return std::string("Process"); });
INSTANTIATE_TEST_SUITE_P(All, PluginReloadTest, testing::Values("in-process", "process"),
                         [](const auto& of) {
                           return std::string(of.param) == "process" ? "Process" : "InProcess";
                         });

#endif

}  // namespace
}  // namespace drover
