// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/loaded_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "host/plugin/registry_fixture.h"

namespace drover {
namespace {

using testing::HasSubstr;

// Each case runs straight and through the wire format of a container.
class LoadedDriverTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  LoadedDriverTest() { isolation_ = GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Containers, LoadedDriverTest, testing::Values("in-process", "process"),
                         PlaceName);

// Things that a driver in this process may do. One in a process of its own is ended for them.
class HeldDriverTest : public LoadedDriverTest {};
INSTANTIATE_TEST_SUITE_P(Containers, HeldDriverTest, testing::Values("in-process"), PlaceName);

TEST_P(LoadedDriverTest, ATaskRunsAndEnds) {
  Driver* driver = LoadOne("test");
  const auto config = Config(R"({"run_for_ms":20,"exit_code":43})");
  const Result<StartedTask> started = Await(driver->Start(context_, config));
  ASSERT_TRUE(started.ok()) << started.error().message();
  EXPECT_EQ(started->handle.driver, "test");
  EXPECT_EQ(started->handle.driver_version, "1.2.3");
  EXPECT_EQ(started->handle.format_version, 7u);
  EXPECT_EQ(started->handle.state, std::string("t1\0x", 4));
  EXPECT_EQ(Await(driver->Start(context_, config)).code(), Code::kFailedPrecondition);
  const Result<ExitResult> end = Await(driver->Wait(context_, config->run_id));
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_EQ(end->exit_code, 43);
  EXPECT_EQ(Await(driver->Wait(context_, config->run_id))->exit_code, 43);
  const Result<TaskStatus> status = Await(driver->Inspect(context_, config->run_id));
  EXPECT_EQ(status->state, TaskState::kExited);
  EXPECT_EQ(status->exit_result->exit_code, 43);
  EXPECT_TRUE(Await(driver->Destroy(context_, config->run_id, false)).ok());
  EXPECT_EQ(Await(driver->Wait(context_, config->run_id)).code(), Code::kNotFound);
}

TEST_P(LoadedDriverTest, APartWithoutOneOfItsFunctionsIsNotLoaded) {
  options_.limits.relaunch_first = 10ms;
  const std::pair<const char*, const char*> broken[] = {
      {"no_stats_function", "its drover_task_stats has no function \"stats\""},
      {"prepare_no_list", "its drover_task_prepare has no function \"list\""},
  };
  for (const auto& [file, what] : broken) {
    options_.plugins.clear();
    Add("test", TestPlugin(file));
    options_.plugins.back().isolation = isolation_;
    const PluginReport report = Load()[0];
    EXPECT_FALSE(report.loaded) << file;
    EXPECT_THAT(report.message, HasSubstr(std::string("driver test is broken: ") + what));
    EXPECT_FALSE(Until([this] { return CountInLog("it is launched again") > 0; }, 100ms)) << file;
    Await(registry_->Shutdown());
    registry_ = nullptr;
  }
}

TEST_P(LoadedDriverTest, StopSignalDestroyAndRecover) {
  Driver* driver = LoadOne("test");
  const auto config = Config("{}");
  const RunId run = config->run_id;
  const Result<StartedTask> started = Await(driver->Start(context_, config));
  ASSERT_TRUE(started.ok());
  EXPECT_TRUE(Await(driver->Signal(context_, run, "SIGHUP")).ok());
  EXPECT_EQ(Await(driver->Signal(context_, run, "SIGNONSENSE")).code(), Code::kInvalidArgument);
  EXPECT_EQ(Await(driver->Destroy(context_, run, false)).code(), Code::kFailedPrecondition);
  EXPECT_TRUE(Await(driver->Recover(context_, config, started->handle)).ok());
  EXPECT_TRUE(Await(driver->Stop(context_, run, 1s, "SIGINT")).ok());
  EXPECT_EQ(Await(driver->Wait(context_, run))->exit_code, 130);
  const Result<RecoveredTask> over = Await(driver->Recover(context_, config, started->handle));
  EXPECT_EQ(over->exited->exit_code, 130);
  EXPECT_EQ(over->handle, started->handle);  // it gave no new one
  EXPECT_TRUE(Await(driver->Destroy(context_, run, true)).ok());
  const Result<RecoveredTask> none = Await(driver->Recover(context_, config, TaskHandle()));
  EXPECT_EQ(none.code(), Code::kNotFound);
  TaskHandle strange = started->handle;
  strange.state = "something else";
  EXPECT_EQ(Await(driver->Recover(context_, config, strange)).code(), Code::kInvalidArgument);
  EXPECT_EQ(Await(driver->Recover(context_, config, started->handle))->exited, std::nullopt);
}

TEST_P(LoadedDriverTest, EventsAndStatsReachWhoListens) {
  Driver* driver = LoadOne("test");
  const auto config = Config("{}");
  std::vector<std::string> heard;
  Subscription events = driver->OnEvents(
      config->run_id, [&](const DriverEvent& event) { heard.push_back(event.message); });
  const Subscription others = driver->OnEvents(
      RunId::Random(), [&](const DriverEvent&) { heard.emplace_back("not mine"); });
  // As an agent does before the first start: the streams are asked for ahead of it.
  Await(registry_->RestoreComplete(context_, "test", {}));
  ASSERT_TRUE(Await(driver->Start(context_, config)).ok());
  EXPECT_TRUE(Until([&] { return !heard.empty(); }));
  EXPECT_EQ(heard, std::vector<std::string>{"hello"});

  int samples = 0;
  Context wanted = context_.Child();
  bool over = false;
  auto collect = [](Driver* from, Context in, RunId run, int* count, bool* flag) -> Co<void> {
    std::function<void(TaskUsage)> sink = [count](TaskUsage usage) {
      EXPECT_EQ(usage.total.memory.rss, 4096u);
      EXPECT_EQ(usage.total.measured, StatSet(Stat::kRss));
      ++*count;
    };
    const StatsRequest wanted{5ms};
    (void)co_await from->Stats(in, run, wanted, std::move(sink));
    *flag = true;
  };
  loop_.Spawn(collect(driver, wanted, config->run_id, &samples, &over));
  EXPECT_TRUE(Until([&] { return samples >= 3; }));
  wanted.Cancel();
  EXPECT_TRUE(Until([&] { return over; }));
  const int at_end = samples;
  Until([started = BootClock::now()] { return BootClock::now() - started > 30ms; });
  EXPECT_EQ(samples, at_end);  // after it has returned the sink is not called
  std::function<void(TaskUsage)> ignore = [](TaskUsage) {};
  EXPECT_EQ(Await(driver->Stats(context_, RunId::Random(), StatsRequest{}, ignore)).code(),
            Code::kNotFound);
}

TEST_P(LoadedDriverTest, AWaitThatIsGivenUpLeavesNothingBehind) {
  Driver* driver = LoadOne("test");
  const auto config = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, config)).ok());
  const auto no_call = [] { return PendingCall::live() == 0; };
  ASSERT_TRUE(Until(no_call));
  const Context impatient = context_.WithTimeout(5ms);
  EXPECT_EQ(Await(driver->Wait(impatient, config->run_id)).code(), Code::kTimeout);
  EXPECT_TRUE(Until(no_call));
  // The caller's own impatience says nothing about the driver.
  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
}

TEST_P(LoadedDriverTest, DestroyEndsTheWaitsOfItsRun) {
  Driver* driver = LoadOne("test");
  const auto config = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, config)).ok());
  Code code = Code::kOk;
  auto wait = [](Driver* on, Context in, RunId run, Code* to) -> Co<void> {
    Result<ExitResult> end = co_await on->Wait(in, run);
    *to = end.ok() ? static_cast<Code>(end->exit_code) : end.code();
  };
  loop_.Spawn(wait(driver, context_, config->run_id, &code));
  EXPECT_TRUE(Await(driver->Destroy(context_, config->run_id, true)).ok());
  EXPECT_TRUE(Until([&] { return code != Code::kOk; }));
  // It ended with the task, or came too late to the driver.
  EXPECT_TRUE(static_cast<int>(code) == 137 || code == Code::kNotFound) << static_cast<int>(code);
}

TEST_P(HeldDriverTest, ALateCallMakesItUnhealthyUntilTheRunIsGone) {
  options_.limits.start = 30ms;
  options_.limits.abandoned = 10ms;
  Driver* driver = LoadOne("start_never_answers");
  int changes = 0;
  const Subscription subscription = driver->OnFingerprint([&] { ++changes; });
  const auto config = Config("{}");
  EXPECT_EQ(Await(driver->Start(context_, config)).code(), Code::kTimeout);
  EXPECT_EQ(driver->fingerprint().health, Health::kUnhealthy);
  EXPECT_THAT(driver->fingerprint().description, HasSubstr("start has not answered within 30ms"));
  EXPECT_EQ(changes, 1);
  // It takes its turn although the start never ended.
  EXPECT_TRUE(Await(driver->Destroy(context_, config->run_id, true)).ok());
  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
  EXPECT_EQ(changes, 2);
}

TEST_P(HeldDriverTest, WhatAStartMakesAfterItsDestroyIsDestroyed) {
  options_.limits.start = 30ms;
  options_.limits.abandoned = 1ms;
  Driver* driver = LoadOne("start_late");
  const auto config = Config("{}");
  EXPECT_EQ(Await(driver->Start(context_, config)).code(), Code::kTimeout);
  EXPECT_EQ(Await(driver->Destroy(context_, config->run_id, true)).code(), Code::kNotFound);
  const auto status = [&] { return Await(driver->Inspect(context_, config->run_id)).code(); };
  EXPECT_TRUE(Until([&] { return log().find("it is destroyed again") != std::string::npos; }));
  EXPECT_TRUE(Until([&] { return status() == Code::kNotFound; }));
}

TEST_P(HeldDriverTest, ARecoverThatWasGivenUpIsNotBegunAgainBeforeItHasEnded) {
  options_.limits.recover = 30ms;
  options_.limits.abandoned = 1ms;
  Driver* driver = LoadOne("recover_slow");
  const auto config = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, config)).ok());
  const auto recover = [&] { return Await(driver->Recover(context_, config, TaskHandle())); };
  // That of the start may live a moment longer than its answer.
  const auto no_call = [] { return PendingCall::live() == 0; };
  ASSERT_TRUE(Until(no_call));
  EXPECT_EQ(recover().code(), Code::kTimeout);
  const auto again = recover();
  EXPECT_EQ(again.code(), Code::kUnavailable);
  EXPECT_TRUE(again.error().recoverable());
  EXPECT_TRUE(Until(no_call));
  EXPECT_EQ(recover().code(), Code::kTimeout) << "it is begun again";
  EXPECT_TRUE(Until(no_call));
}

TEST_P(HeldDriverTest, ThreadsThatAreHeldAreReplacedUntilThereAreTooMany) {
  options_.limits.hold = 20ms;
  options_.limits.start = 40ms;
  options_.limits.abandoned = 1ms;
  options_.limits.written_off_threads = 2;
  options_.limits.shutdown = 100ms;
  Driver* driver = LoadOne("holds_thread");
  EXPECT_EQ(Await(driver->Start(context_, Config("{}"))).code(), Code::kTimeout);
  EXPECT_TRUE(Until([&] { return driver->fingerprint().health == Health::kUnhealthy; }));
  EXPECT_THAT(driver->fingerprint().description, HasSubstr("start does not return; 1 of 2"));
  // The others still work.
  EXPECT_EQ(Await(driver->Wait(context_, RunId::Random())).code(), Code::kNotFound);
  EXPECT_EQ(Await(driver->Start(context_, Config("{}"))).code(), Code::kTimeout);
  EXPECT_TRUE(Until(
      [&] { return Await(driver->Wait(context_, RunId::Random())).code() == Code::kUnavailable; }));
  EXPECT_THAT(driver->fingerprint().description, HasSubstr("so its calls fail at once"));
}

TEST_P(LoadedDriverTest, ASecondCompletionIsDroppedAndTold) {
  Driver* driver = LoadOne("completes_twice");
  const auto config = Config(R"({"run_for_ms":0,"exit_code":3})");
  ASSERT_TRUE(Await(driver->Start(context_, config)).ok());
  EXPECT_EQ(Await(driver->Wait(context_, config->run_id))->exit_code, 3);
  EXPECT_TRUE(Until([&] { return log().find("was completed before") != std::string::npos; }));
}

TEST_P(LoadedDriverTest, AMessageWithTheTypeOfAnotherStreamIsDroppedAndTold) {
  Driver* driver = LoadOne("odd_message");
  EXPECT_TRUE(Until([this] { return CountInLog("it has type 3, not 1") > 0; }));
  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
  EXPECT_EQ(CountInLog("it is launched again"), 0);
}

TEST_P(LoadedDriverTest, AnErrorOfADriverStaysOneLineOfTheLog) {
  Add("test", TestPlugin("create_forges"));
  options_.plugins.back().isolation = isolation_;
  EXPECT_FALSE(Load()[0].loaded);
  EXPECT_GE(CountInLog("no color forged ?[31mred"), 1) << log();
  EXPECT_EQ(CountInLog("\nforged"), 0) << log();
}

TEST_P(LoadedDriverTest, AStreamThatEndsIsOpenedAgainButNotInATightLoop) {
  options_.limits.resubscribe_first = 20ms;
  int changes = 0;
  Driver* driver = LoadOne("stream_ends");
  const Subscription subscription = driver->OnFingerprint([&] { ++changes; });
  const TimePoint began = BootClock::now();
  EXPECT_TRUE(Until([&] { return changes >= 4; }));
  // healthy, ended, healthy, ended: two pauses at least
  EXPECT_GE(BootClock::now() - began, 20ms);
}

// Unhealthy until it has come back, and not for ever.
TEST_P(HeldDriverTest, ASubscriptionThatReturnsTooLateIsMadeAgain) {
  options_.limits.hold = 100ms;
  options_.limits.resubscribe_first = 1ms;
  options_.limits.stream_join = 1ms;
  Driver* driver = LoadOne("fingerprint_late");
  EXPECT_TRUE(Until([&] { return driver->fingerprint().health == Health::kHealthy; }));
  EXPECT_THAT(log(), HasSubstr("is now unhealthy"));
}

// On simulated time, which stands still while the driver's own threads are at work.
class SilentDriverTest : public testing::Test {
 protected:
  SilentDriverTest() : workers_(2), context_(&loop_) {
    PluginConfig config;
    config.name = "test";
    config.file = TestPlugin("no_fingerprint");
    PluginRegistryOptions options;
    options.plugins = {std::move(config)};
    options.log = [](PluginLogLevel, const std::string&, const RunId*, const std::string&) {};
    options.first_fingerprint = 0s;
    registry_.emplace(&loop_, &workers_, nullptr, std::move(options));
  }
  ~SilentDriverTest() override { Finish(registry_->Shutdown(), 1ms); }

  // Ends COROUTINE; with each look at it STEP of the time passes.
  void Finish(Co<void> coroutine, Duration step = 0s) {
    bool over = false;
    loop_.Spawn(Note(std::move(coroutine), &over));
    for (const TimePoint end = BootClock::now() + 20s; !over; std::this_thread::yield()) {
      ASSERT_LT(BootClock::now(), end);
      loop_.Advance(step);
    }
  }
  static Co<void> Note(Co<void> coroutine, bool* over) {
    co_await std::move(coroutine);
    *over = true;
  }
  static Co<void> Load(PluginRegistry* registry, Context context) {
    const std::vector<PluginReport> reports = co_await registry->LoadAll(context);
    EXPECT_EQ(reports[0].message, "");
  }
  static Co<void> Configure(LoadedDriver* driver, Context context) {
    const Status done = co_await driver->Configure(context, std::string("{}"));
    EXPECT_TRUE(done.ok()) << done.error().message();
  }

  SimLoop loop_;
  WorkerPool workers_;
  Context context_;
  std::optional<PluginRegistry> registry_;
};

TEST_F(SilentDriverTest, IsUnhealthyUntilItTellsItsHealth) {
  Finish(Load(&*registry_, context_));
  LoadedDriver* driver = registry_->FindLoaded("test");
  loop_.Advance(10s - 1ms);
  EXPECT_EQ(driver->fingerprint().health, Health::kUndetected);
  EXPECT_EQ(driver->fingerprint().description, "the driver has not reported its health yet");
  loop_.Advance(1ms);
  EXPECT_EQ(driver->fingerprint().health, Health::kUnhealthy);
  EXPECT_EQ(driver->fingerprint().description, "it has not reported its health within 10s");
  // This driver reports it with its next configuration.
  Finish(Configure(driver, context_));
  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
}

TEST_P(LoadedDriverTest, TaskConfigurationsAreCheckedBySchema) {
  Driver* driver = LoadOne("test");
  const Result<std::string> good = driver->NormalizeConfig(R"({"run_for_ms":5})", true);
  ASSERT_TRUE(good.ok()) << good.error().message();
  EXPECT_EQ(*good, R"({"exit_code":0,"run_for_ms":5})");
  EXPECT_THAT(driver->NormalizeConfig(R"({"speed":5})", true).error().message(),
              HasSubstr("/speed"));
  EXPECT_TRUE(driver->NormalizeConfig(R"({"run_for_ms":"${x}"})", false).ok());
  EXPECT_FALSE(driver->NormalizeConfig(R"({"run_for_ms":"${x}"})", true).ok());
}

// The driver ends this process when two functions meet that must not, or when one is called on the
// control thread.
TEST_P(LoadedDriverTest, ThreadTagsAreKeptWhateverIsCalledAtATime) {
  LoadOne("checks_tags");
  LoadedDriver* driver = registry_->FindLoaded("test");
  const auto config = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, config)).ok());
  const auto verbs = [](LoadedDriver* of, Context context,
                        std::shared_ptr<const TaskConfig> task) -> Co<void> {
    const RunId run = task->run_id;
    (void)co_await of->Start(context, task);
    (void)co_await of->Stop(context, run, 0s, std::string());
    (void)co_await of->Destroy(context, run, false);
  };
  const auto control = [](LoadedDriver* of, Context context) -> Co<void> {
    const Status done = co_await of->Configure(context, std::string("{}"));
    EXPECT_TRUE(done.ok()) << done.error().message();
  };
  const auto any = [](LoadedDriver* of, Context context, RunId run) -> Co<void> {
    (void)co_await of->Inspect(context, run);
    (void)co_await of->Signal(context, run, std::string("SIGHUP"));
  };
  std::vector<Co<void>> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(verbs(driver, context_, config));
    all.push_back(control(driver, context_));
    all.push_back(any(driver, context_, config->run_id));
  }
  Await(InParallel(&loop_, std::move(all)));
  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
}

}  // namespace
}  // namespace drover
