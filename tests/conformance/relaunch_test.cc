// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The times at which a driver's process is launched again: later each time. The tests use simulated
// time, which stands still while real processes come and go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/plugin/plugin_registry.h"
#include "host/plugin/supervised_driver.h"

namespace drover {
namespace {

#ifdef MOCK_DRIVER_SO

class RelaunchTest : public testing::Test {
 protected:
  RelaunchTest() : workers_(2), context_(&loop_) {}
  ~RelaunchTest() override {
    bool over = false;
    loop_.Spawn(Shutdown(registry_.get(), &over));
    EXPECT_TRUE(Until([&] { return over; }, 1ms));
  }

  // With the limits of operation.
  void Load(const std::string& config_json) {
    PluginConfig config;
    config.name = "mock_driver";
    config.file = MOCK_DRIVER_SO;
    config.isolation = "process";
    config.config_json = config_json;
    PluginRegistryOptions options;
    options.plugins = {std::move(config)};
    options.log = [this](PluginLogLevel, const std::string&, const RunId*,
                         const std::string& line) {
      if (line.find("; it is launched again in ") != std::string::npos) ++ends_;
    };
    registry_ = std::make_unique<PluginRegistry>(&loop_, &workers_, nullptr, std::move(options));
    bool over = false;
    loop_.Spawn(LoadAll(registry_.get(), context_, &over));
    ASSERT_TRUE(Until([&] { return over; }));
  }
  static Co<void> LoadAll(PluginRegistry* registry, Context context, bool* over) {
    (void)co_await registry->LoadAll(context);
    *over = true;
  }
  static Co<void> Shutdown(PluginRegistry* registry, bool* over) {
    co_await registry->Shutdown();
    *over = true;
  }

  // Gives real processes and threads time to act. With each look, STEP of the simulated time
  // passes.
  bool Until(const std::function<bool()>& done, Duration step = 0s) {
    const TimePoint end = BootClock::now() + 20s;
    for (loop_.RunReady(); !done() && BootClock::now() < end; std::this_thread::yield()) {
      loop_.Advance(step);
    }
    return done();
  }

  SupervisedDriver* contained() { return registry_->FindContained("mock_driver"); }
  int launches() { return contained()->status().launches; }

  // Expects that the process which was launched last ends, and the next one comes exactly DELAY
  // later.
  void ExpectNextAfter(Duration delay) {
    SCOPED_TRACE("launch " + std::to_string(launches()) + ", " + FormatDuration(delay));
    const int before = launches();
    ASSERT_TRUE(Until([&] { return ends_ == before; })) << "its end is not logged";
    loop_.Advance(delay - 1ns);
    EXPECT_EQ(launches(), before) << "too early";
    loop_.Advance(1ns);
    ASSERT_EQ(launches(), before + 1) << "too late";
  }
  // Lets the process serve for LIFE, and kills it. First waits for the report of its health, for
  // which it would otherwise have no time.
  void LiveFor(Duration life) {
    ASSERT_TRUE(Until([&] {
      return contained()->current() != nullptr &&
             contained()->fingerprint().health == Health::kHealthy;
    }));
    loop_.Advance(life);
    ASSERT_EQ(kill(contained()->status().pid, SIGKILL), 0);
  }

  SimLoop loop_;
  WorkerPool workers_;
  Context context_;
  int ends_ = 0;  // of processes, from the log
  std::unique_ptr<PluginRegistry> registry_;
};

TEST_F(RelaunchTest, ADriverThatDiesInCreateComesLaterEachTime) {
  Load(R"({"crash_in":"create","crash_by":"exit"})");
  for (const Duration delay : {1s, 2s, 4s, 8s, 16s, 30s, 30s, 30s}) ExpectNextAfter(delay);
}

TEST_F(RelaunchTest, AfterALongLifeItComesAtOnceAgain) {
  Load("{}");
  for (const Duration delay : {1s, 2s, 4s}) {
    LiveFor(0s);
    ExpectNextAfter(delay);
  }
  LiveFor(60s - 1ns);
  ExpectNextAfter(8s);
  LiveFor(60s);
  ExpectNextAfter(1s);
  LiveFor(0s);
  ExpectNextAfter(2s);
}

#endif

}  // namespace
}  // namespace drover
