// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that never returns from a call delays its own callers only, up to their deadlines: the
// driver beside it, and the control thread, go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/base/gate.h"
#include "host/plugin/loaded_driver.h"
#include "host/plugin/registry_fixture.h"

namespace drover {
namespace {

#ifdef MOCK_DRIVER_SO

class HangingDriverTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  HangingDriverTest() {
    auto& limits = options_.limits;
    limits.hold = limits.create = limits.start = limits.recover = limits.destroy = 1500ms;
    limits.inspect = limits.signal = limits.shutdown = limits.stop_extra = 1500ms;
    limits.fingerprint = 1500ms;
    options_.first_fingerprint = 2s;
    Add("mock_driver", MOCK_DRIVER_SO);
    Add("test", TestPlugin("test"));
  }

  // The call that hangs. Ends when it is given up.
  static Co<void> Hang(LoadedDriver* driver, std::string verb, Context context,
                       std::shared_ptr<const TaskConfig> task, bool* over, Status* said) {
    const RunId run = task->run_id;
    const bool started = verb != "start" && verb != "recover";
    if (started) (void)co_await driver->Start(context, task);
    if (verb == "configure") {
      *said = co_await driver->Configure(context, std::string("{}"));
    } else if (verb == "restore_complete") {
      std::vector<RunId> runs;
      *said = co_await driver->RestoreComplete(context, std::move(runs));
    } else if (verb == "start") {
      const Result<StartedTask> result = co_await driver->Start(context, task);
      if (!result.ok()) *said = result.error();
    } else if (verb == "recover") {
      TaskHandle handle;
      const Result<RecoveredTask> result =
          co_await driver->Recover(context, task, std::move(handle));
      if (!result.ok()) *said = result.error();
    } else if (verb == "wait") {
      const Context limited = context.WithTimeout(1500ms);
      const Result<ExitResult> result = co_await driver->Wait(limited, run);
      if (!result.ok()) *said = result.error();
    } else if (verb == "stop") {
      *said = co_await driver->Stop(context, run, 0s, std::string());
    } else if (verb == "signal") {
      *said = co_await driver->Signal(context, run, std::string("SIGHUP"));
    } else if (verb == "destroy") {
      *said = co_await driver->Destroy(context, run, true);
    } else if (verb == "inspect") {
      const Result<TaskStatus> result = co_await driver->Inspect(context, run);
      if (!result.ok()) *said = result.error();
    } else if (verb == "stats") {
      std::function<void(TaskUsage)> sink = [](const TaskUsage&) {};
      const StatsRequest wanted{1s};
      *said = co_await driver->Stats(context, run, wanted, std::move(sink));
    } else if (verb == "exec") {
      ExecRequest request;
      request.command = {"x"};
      auto result = co_await driver->Exec(context, run, std::move(request));
      if (!result.ok()) *said = result.error();
    }
    *over = true;
  }

  // The whole life of a task of the other driver.
  static Co<void> Live(Driver* driver, Context context, std::shared_ptr<const TaskConfig> task) {
    const RunId run = task->run_id;
    const Result<StartedTask> started = co_await driver->Start(context, task);
    EXPECT_TRUE(started.ok()) << started.error().message();
    const Result<TaskStatus> status = co_await driver->Inspect(context, run);
    EXPECT_TRUE(status.ok());
    const Status sent = co_await driver->Signal(context, run, std::string("SIGHUP"));
    EXPECT_TRUE(sent.ok());
    const Status stopped = co_await driver->Stop(context, run, 1s, std::string());
    EXPECT_TRUE(stopped.ok());
    const Status destroyed = co_await driver->Destroy(context, run, false);
    EXPECT_TRUE(destroyed.ok());
  }
};

TEST_P(HangingDriverTest, DelaysNoOther) {
  const std::string verb = GetParam();
  options_.plugins[0].config_json = R"({"hang_in":")" + verb + R"("})";
  const std::vector<PluginReport> reports = Load();
  ASSERT_TRUE(reports[1].loaded) << reports[1].message;
  Driver* healthy = registry_->Find("test");
  if (verb == "create") {
    EXPECT_FALSE(reports[0].loaded);
    EXPECT_THAT(reports[0].message, testing::HasSubstr("create"));
    Await(Live(healthy, context_, Config("{}")));
    return;
  }
  ASSERT_TRUE(reports[0].loaded) << reports[0].message;
  auto* hanging = static_cast<LoadedDriver*>(registry_->Find("mock_driver"));
  if (verb == "fingerprint") {  // nobody asks for it: it hangs since the driver was made
    Await(Live(healthy, context_, Config("{}")));
    EXPECT_TRUE(Until([&] { return hanging->fingerprint().health == Health::kUnhealthy; }));
    EXPECT_EQ(hanging->fingerprint().description, "it has not told its health within 1.5s");
    return;
  }
  const Context asked = context_.Child();
  bool over = false;
  Status said;
  Gate background(&loop_);
  background.Spawn(Hang(hanging, verb, asked, Config(R"({"run_for":"1h"})"), &over, &said));
  // Long enough to be inside of the call; then the other must be done before it is given up.
  EXPECT_FALSE(Until([&] { return over; }, 300ms));
  Await(Live(healthy, context_, Config("{}")));
  EXPECT_FALSE(over) << "the other task's life took longer than the hanging call's deadline";
  EXPECT_EQ(healthy->fingerprint().health, Health::kHealthy);
  EXPECT_TRUE(Until([&] { return over; }));
  EXPECT_FALSE(said.ok()) << "a call that hangs does not succeed";
  EXPECT_TRUE(Until([&] { return hanging->fingerprint().health == Health::kUnhealthy; }));
  Await(Live(healthy, context_, Config("{}")));
  Await(background.Close());
}

// The end of the agent is delayed by as much as shutdown may take, and no more.
TEST_F(HangingDriverTest, ShutdownIsOverAtItsDeadline) {
  options_.plugins[0].config_json = R"({"hang_in":"shutdown"})";
  for (const PluginReport& report : Load()) ASSERT_TRUE(report.loaded) << report.message;
  Await(registry_->Shutdown());  // within the fixture's limit of 20 s
  EXPECT_THAT(log(), testing::HasSubstr("did not answer to shutdown within 1.5s"));
}

INSTANTIATE_TEST_SUITE_P(Verbs, HangingDriverTest,
                         testing::Values("create", "configure", "restore_complete", "start",
                                         "recover", "wait", "stop", "signal", "destroy", "inspect",
                                         "stats", "exec", "fingerprint"),
                         [](const auto& param) { return std::string(param.param); });

#endif

}  // namespace
}  // namespace drover
