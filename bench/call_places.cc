// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/call_places.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "bench/rounds.h"
#include "host/base/event.h"
#include "host/plugin/supervised_driver.h"
#include "tests/conformance/call_verb.h"

namespace drover::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Duration kLimit = 20s;
// The task runs until it is stopped; a command beside it ends at once.
constexpr char kTask[] = R"({"run_for": "1h", "exec_command": {}})";

double Since(Clock::time_point began) {
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

void Must(const std::string& call, const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", call.c_str(), status.error().message().c_str());
  std::abort();
}

std::vector<std::shared_ptr<const TaskConfig>> MakeTasks(int count) {
  std::vector<std::shared_ptr<const TaskConfig>> tasks;
  for (int i = 0; i < count; ++i) {
    auto task = std::make_shared<TaskConfig>();
    task->run_id = RunId::Random();
    task->task_name = "t";
    task->id = "alloc/t/" + task->run_id.ToString();
    task->env = {{"PATH", "/usr/bin:/bin"}};
    task->driver_config_json = kTask;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace

CallPlace::CallPlace(RealLoop* loop, WorkerPool* workers, std::string isolation)
    : loop_(loop), workers_(workers), context_(loop) {
  PluginConfig plugin;
  plugin.name = "mock_driver";
  plugin.file = DROVER_BENCH_MOCK;
  plugin.isolation = std::move(isolation);
  options_.plugins.push_back(std::move(plugin));
  options_.log = [](PluginLogLevel, const std::string&, const RunId*, const std::string&) {};
}

void CallPlace::Note(const std::string& call, std::vector<double> took) {
  if (std::find(calls_.begin(), calls_.end(), call) == calls_.end()) calls_.push_back(call);
  times_[call].push_back(Median(std::move(took)));
}

void CallPlace::Round(int calls) {
  PluginRegistry registry(loop_, workers_, /*processes=*/nullptr, options_);
  const auto load = [](PluginRegistry* of, Context context) -> Co<void> {
    const std::vector<PluginReport> reports = co_await of->LoadAll(context);
    if (!reports[0].loaded) Must("load", Error(Code::kInternal, reports[0].message));
  };
  auto began = Clock::now();
  DROVER_CHECK(loop_->RunToEnd(load(&registry, context_)));
  Note("load and create", {Since(began)});
  if (SupervisedDriver* contained = registry.FindContained("mock_driver")) {
    DROVER_CHECK(loop_->RunToEnd(MakeCalls(contained, calls)));
  } else {
    DROVER_CHECK(loop_->RunToEnd(MakeCalls(registry.FindLoaded("mock_driver"), calls)));
  }
  began = Clock::now();
  DROVER_CHECK(loop_->RunToEnd(registry.Shutdown()));
  Note("shutdown", {Since(began)});
}

template <typename ADriver>
Co<void> CallPlace::MakeCalls(ADriver* driver, int calls) {
  const Tasks tasks = MakeTasks(calls);
  co_await Verb(driver, std::string("configure"), tasks);
  co_await Fingerprints(driver, calls);
  co_await Verb(driver, std::string("restore_complete"), tasks);
  co_await Verb(driver, std::string("start"), tasks);
  co_await Verb(driver, std::string("recover"), tasks);
  co_await Verb(driver, std::string("inspect"), tasks);
  co_await Verb(driver, std::string("signal"), tasks);
  co_await Samples(driver, tasks);
  co_await Commands(driver, tasks);
  co_await Verb(driver, std::string("stop"), tasks);
  co_await Verb(driver, std::string("wait"), tasks);
  co_await Verb(driver, std::string("destroy"), tasks);
}

template <typename ADriver>
Co<void> CallPlace::Verb(ADriver* driver, std::string verb, Tasks tasks) {
  std::vector<double> took;
  for (const auto& task : tasks) {
    const auto began = Clock::now();
    const Status said = co_await CallVerb(driver, verb, context_, task, kLimit);
    took.push_back(Since(began));
    Must(verb, said);
  }
  Note(verb, std::move(took));
}

// Measures from the call that changes the driver's health until the driver reports it.
template <typename ADriver>
Co<void> CallPlace::Fingerprints(ADriver* driver, int calls) {
  constexpr char kOff[] = R"({"shutdown_periodic_after": true, "shutdown_periodic_duration": 0})";
  Event reported(loop_);
  const Subscription heard = driver->OnFingerprint([&reported] { reported.Set(); });
  std::vector<double> took;
  for (int i = 0; i < 2 * (calls / 2 + 1); ++i) {  // an even count: the last one is healthy
    reported.Reset();
    std::string config = i % 2 == 0 ? kOff : "{}";
    const auto began = Clock::now();
    const Status configured = co_await driver->Configure(context_, std::move(config));
    Must("configure", configured);
    const Status seen = co_await reported.Wait(context_);
    took.push_back(Since(began));
    Must("fingerprint", seen);
  }
  Note("configure and fingerprint", std::move(took));
}

// Measures from the opening of a stream until its first sample.
template <typename ADriver>
Co<void> CallPlace::Samples(ADriver* driver, Tasks tasks) {
  std::vector<double> took;
  for (const auto& task : tasks) {
    Context opened = context_.Child();
    double first = 0;
    const auto began = Clock::now();
    std::function<void(TaskUsage)> sink = [&](const TaskUsage&) {
      if (first == 0) first = Since(began);
      opened.Cancel("one is enough");
    };
    const StatsRequest request;
    const Status ended = co_await driver->Stats(opened, task->run_id, request, std::move(sink));
    if (first == 0) Must("stats", ended);
    took.push_back(first);
  }
  Note("stats, first sample", std::move(took));
}

// Measures from the call of a command beside a task until its end is reported.
template <typename ADriver>
Co<void> CallPlace::Commands(ADriver* driver, Tasks tasks) {
  std::vector<double> took;
  for (const auto& task : tasks) {
    ExecRequest request;
    request.command = {"x"};
    request.input = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    request.output = UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
    request.error = UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
    const auto began = Clock::now();
    auto session = co_await driver->Exec(context_, task->run_id, std::move(request));
    if (!session.ok()) Must("exec", session.error());
    const Result<ExitResult> end = co_await (*session)->Wait(context_);
    took.push_back(Since(began));
    if (!end.ok()) Must("exec", end.error());
  }
  Note("exec, until its end", std::move(took));
}

}  // namespace drover::bench
