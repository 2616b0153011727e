// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Messages on a stream that the host has cancelled, and even joined, reach nobody.
#include <gtest/gtest.h>

#include "host/base/gate.h"
#include "host/plugin/loaded_driver.h"
#include "host/plugin/registry_fixture.h"

namespace drover {
namespace {

#ifdef MOCK_DRIVER_SO

class LateMessageTest : public RegistryFixture, public testing::WithParamInterface<const char*> {};

Co<void> Collect(Driver* driver, Context context, RunId run, int* samples, Status* end) {
  std::function<void(TaskUsage)> sink = [samples](const TaskUsage&) { ++*samples; };
  const StatsRequest wanted{10ms};
  *end = co_await driver->Stats(context, run, wanted, std::move(sink));
}

TEST_P(LateMessageTest, IsIgnored) {
  Add("mock_driver", MOCK_DRIVER_SO);
  options_.plugins[0].isolation = GetParam();
  ASSERT_EQ(Load()[0].message, "");
  LoadedDriver* driver = registry_->FindLoaded("mock_driver");
  const auto task =
      Config(R"({"run_for":"1h","stats_each_interval":true,"stats_late_message":true})");
  ASSERT_TRUE(Await(driver->Start(context_, task)).ok());
  const long streams = StreamTable::live();

  long late = 0;
  for (int round = 0; round < 3; ++round) {
    Context wanted = context_.Child();
    int samples = 0;
    Status end;
    Gate collecting(&loop_);
    collecting.Spawn(Collect(driver, wanted, task->run_id, &samples, &end));
    ASSERT_TRUE(Until([&] { return samples >= 2; }));
    wanted.Cancel();
    Await(collecting.Join());
    EXPECT_EQ(end.code(), Code::kCancelled);
    const int at_end = samples;
    EXPECT_TRUE(Until([&] { return driver->host()->streams().late() >= late + 2; }));
    late = driver->host()->streams().late();
    EXPECT_EQ(samples, at_end);
    EXPECT_EQ(StreamTable::live(), streams);
  }

  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
  EXPECT_EQ(Await(driver->Inspect(context_, task->run_id))->state, TaskState::kRunning);
  EXPECT_TRUE(Await(driver->Stop(context_, task->run_id, 1s, "")).ok());
  EXPECT_TRUE(Await(driver->Destroy(context_, task->run_id, false)).ok());
}

INSTANTIATE_TEST_SUITE_P(Containers, LateMessageTest, testing::Values("in-process", "process"),
                         PlaceName);

#endif

}  // namespace
}  // namespace drover
