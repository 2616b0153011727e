// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that never returns from a call delays only its own callers, up to their deadlines. The
// driver beside it and the control thread go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/base/gate.h"
#include "host/plugin/loaded_driver.h"
#include "host/plugin/registry_fixture.h"
#include "tests/conformance/call_verb.h"

namespace drover {
namespace {

#ifdef MOCK_DRIVER_SO

constexpr Duration kLimit = 1500ms;

class HangingDriverTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  HangingDriverTest() {
    auto& limits = options_.limits;
    limits.hold = limits.create = limits.start = limits.recover = limits.destroy = kLimit;
    limits.inspect = limits.signal = limits.shutdown = limits.stop_extra = kLimit;
    limits.fingerprint = kLimit;
    options_.first_fingerprint = 2s;
    Add("mock_driver", MOCK_DRIVER_SO);
    Add("test", TestPlugin("test"));
  }

  // Makes the call that hangs. Ends when the call is given up.
  static Co<void> Hang(LoadedDriver* driver, std::string verb, Context context,
                       std::shared_ptr<const TaskConfig> task, bool* over, Status* said) {
    const bool started = verb != "start" && verb != "recover";
    if (started) (void)co_await driver->Start(context, task);
    *said = co_await CallVerb(driver, verb, context, task, kLimit);
    *over = true;
  }

  // Runs the whole life of a task of the other driver.
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
  LoadedDriver* hanging = registry_->FindLoaded("mock_driver");
  if (verb == "fingerprint") {  // needs no call here: it hangs since the driver was made
    Await(Live(healthy, context_, Config("{}")));
    EXPECT_TRUE(Until([&] { return hanging->fingerprint().health == Health::kUnhealthy; }));
    EXPECT_EQ(hanging->fingerprint().description, "it has not reported its health within 1.5s");
    return;
  }
  const Context asked = context_.Child();
  bool over = false;
  Status said;
  Gate background(&loop_);
  background.Spawn(Hang(hanging, verb, asked, Config(R"({"run_for":"1h"})"), &over, &said));
  // Long enough to be inside of the call. The other task must end before the call is given up.
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

// The driver delays the end of the agent for at most the limit of shutdown.
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
