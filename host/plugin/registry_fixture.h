// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "host/library/test_files.h"
#include "host/plugin/plugin_registry.h"

namespace drover {

// Returns the name of a test instance, made from its parameter. The parameter is the place where
// the plugin runs: "in-process" or a process of its own.
inline std::string PlaceName(const testing::TestParamInfo<const char*>& info) {
  const std::string place = info.param;
  return place == "in-process" ? "InProcess" : "Process";
}

// A test that loads plugins into this process and talks to them from a real control thread.
class RegistryFixture : public testing::Test {
 protected:
  RegistryFixture() : workers_(2), context_(&loop_) {
    // The thread of a process that ends may write after this test has ended.
    options_.log = [log = log_](PluginLogLevel, const std::string&, const RunId*,
                                const std::string& line) {
      const std::lock_guard lock(log->mutex);
      log->text += line + "\n";
    };
  }
  ~RegistryFixture() override {
    if (registry_) Await(registry_->Shutdown());
  }

  void Add(const std::string& name, const std::string& file) {
    PluginConfig config;
    config.name = name;
    config.file = file;
    options_.plugins.push_back(std::move(config));
  }
  std::vector<PluginReport> Load() {
    registry_ = std::make_unique<PluginRegistry>(&loop_, &workers_, processes_, options_);
    return Await(registry_->LoadAll(context_));
  }
  // The driver of one test plugin, loaded.
  Driver* LoadOne(const std::string& file) {
    Add("test", TestPlugin(file));
    options_.plugins.back().isolation = isolation_;
    const std::vector<PluginReport> reports = Load();
    EXPECT_EQ(reports[0].message, "");
    return registry_->Find("test");
  }

  template <typename T>
  T Await(Co<T> coroutine) {
    // RESULT is shared with the coroutine, which continues if it does not end within the limit.
    const auto result = std::make_shared<std::optional<T>>();
    EXPECT_TRUE(loop_.RunToEnd(Store(std::move(coroutine), result), 20s));
    return std::move(result->value());
  }
  void Await(Co<void> coroutine) { EXPECT_TRUE(loop_.RunToEnd(std::move(coroutine), 20s)); }
  // Runs the control thread's loop until DONE returns true or LIMIT is over. Returns the last
  // result of DONE.
  bool Until(const std::function<bool()>& done, Duration limit = 5s) {
    const TimePoint end = BootClock::now() + limit;
    while (!done() && BootClock::now() < end) Await(Turn(context_));
    return done();
  }

  static std::shared_ptr<const TaskConfig> Config(const std::string& json) {
    auto config = std::make_shared<TaskConfig>();
    config->run_id = RunId::Random();
    config->task_name = "web";
    config->driver_config_json = json;
    return config;
  }
  std::string log() {
    const std::lock_guard lock(log_->mutex);
    return log_->text;
  }
  // How often TEXT stands in the log.
  int CountInLog(const std::string& text) {
    const std::string all = log();
    int count = 0;
    for (std::size_t at = 0; (at = all.find(text, at)) != std::string::npos; ++at) ++count;
    return count;
  }

  RealLoop loop_;
  WorkerPool workers_;
  Context context_;
  ProcessService* processes_ = nullptr;
  PluginRegistryOptions options_;
  std::string isolation_ = "in-process";
  std::unique_ptr<PluginRegistry> registry_;

 private:
  template <typename T>
  static Co<void> Store(Co<T> coroutine, std::shared_ptr<std::optional<T>> to) {
    *to = co_await std::move(coroutine);
  }
  static Co<void> Turn(Context context) { (void)co_await Sleep(context, 1ms); }

  struct Log {
    std::mutex mutex;
    std::string text;
  };
  const std::shared_ptr<Log> log_ = std::make_shared<Log>();
};

}  // namespace drover
