// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/stoppable_loop.h"
#include "host/task/fake_driver.h"
#include "host/task/task_runner.h"

// The fixture for tests of the task runner: a runner of the task "web" in simulated time, with a
// driver that follows the test's script. Each test ends with a check for leaks.
namespace drover {

struct FakeGate : StartGate {
  explicit FakeGate(Loop* loop) : open(loop) { open.Set(); }
  Co<Status> WaitOpen(Context context) override {
    ++asked;
    co_return co_await open.Wait(context);
  }
  Event open;
  int asked = 0;
};

struct FakeBuilder : TaskDirBuilder {
  Co<Status> BuildTaskDir(Context, TaskDirRequest request) override {
    ++built;
    made_logs += request.makes_logs ? 1 : 0;
    user = request.user;
    if (error) co_return *error;
    co_return Status();
  }
  int built = 0;
  int made_logs = 0;
  std::string user;  // of the last request
  std::optional<Error> error;
};

struct FakePreparer : TaskPreparer {
  // Replaces a text that is the name of a hook's variable.
  Result<std::vector<std::string>> Interpolate(const PrepareRequest& request,
                                               std::vector<std::string> texts) override {
    for (std::string& text : texts) {
      const auto variable = request.hook_env.find(text);
      if (variable != request.hook_env.end()) text = variable->second;
    }
    return texts;
  }
  Result<TaskConfig> Prepare(const PrepareRequest& request) override {
    if (error && !request.running) return *error;
    TaskConfig config;
    config.alloc_id = request.alloc->id;
    config.task_name = request.task->name;
    config.env = request.hook_env;
    config.device_env = request.device_env;
    config.mounts = request.mounts;
    config.devices = request.devices;
    config.user = request.user.empty() ? request.task->user : request.user;
    return config;
  }
  std::optional<Error> error;
};

struct FakeStore : LocalStateStore {
  Co<Status> SaveLocalState(Context, std::string,
                            std::shared_ptr<const LocalState> state) override {
    if (error) co_return *error;
    saved.push_back(std::move(state));
    co_return Status();
  }
  std::vector<std::shared_ptr<const LocalState>> saved;
  std::optional<Error> error;
};

// A hook for tests. The test decides what each stage does.
struct ScriptedHook : TaskHook {
  enum class Way { kReturn, kFail, kHang, kIgnoreContext };
  struct Stage {
    Way way = Way::kReturn;
    Error error{Code::kInternal, "broken"};
    int calls = 0;
    int returned = 0;
    std::optional<Context> context;  // the context of the last call
  };

  ScriptedHook(Loop* loop, std::string of_name, std::vector<std::string>* call_log = nullptr)
      : hook_name(std::move(of_name)), log(call_log), release(loop) {}

  std::string_view name() const override { return hook_name; }
  bool Has(HookStage) const override { return true; }

  Stage& On(HookStage stage) { return stages[stage]; }

  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override {
    seen_data = request.data;
    seen_env = request.env;
    seen_user = request.user;
    DROVER_CO_TRY(co_await Do(HookStage::kPrestart, context));
    co_return response;
  }
  Co<Status> Poststart(Context context, PoststartRequest) override {
    return Do(HookStage::kPoststart, context);
  }
  Co<Status> Prekill(Context context, HookRequest) override {
    return Do(HookStage::kPrekill, context);
  }
  Co<Status> Exited(Context context, HookRequest) override {
    return Do(HookStage::kExited, context);
  }
  Co<Status> Stop(Context context, HookRequest) override { return Do(HookStage::kStop, context); }
  Co<Status> Update(Context context, HookRequest) override {
    return Do(HookStage::kUpdate, context);
  }
  Co<Status> Shutdown(Context context, HookRequest) override {
    return Do(HookStage::kShutdown, context);
  }

  Co<Status> Do(HookStage stage, Context context) {
    Stage& script = stages[stage];
    ++script.calls;
    script.context = context;
    if (log != nullptr) log->push_back(hook_name + " " + std::string(HookStageName(stage)));
    if (script.way == Way::kHang) co_await context.Cancelled();
    if (script.way == Way::kIgnoreContext) co_await release.Wait();
    ++script.returned;
    if (script.way == Way::kFail) co_return script.error;
    if (script.way == Way::kHang) co_return context.status();
    co_return Status();
  }

  std::string hook_name;
  std::vector<std::string>* log;
  std::map<HookStage, Stage> stages;
  PrestartResponse response;
  StringMap seen_data;
  StringMap seen_env;
  std::string seen_user;
  Event release;  // ends the calls of stages with kIgnoreContext
};

struct RunnerTest : testing::Test, TaskObserver {
  RunnerTest() {
    auto job = std::make_shared<Job>();
    job->id = "job";
    job->type = JobType::kService;
    TaskGroup group;
    group.name = "group";
    group.restart_policy.attempts = 0;
    group.restart_policy.interval = 10min;
    group.restart_policy.delay = 10s;
    group.restart_policy.mode = RestartPolicy::Mode::kFail;
    Task task;
    task.name = "web";
    task.driver = "fake";
    group.tasks.push_back(task);
    job->groups.push_back(group);
    alloc->id = "11111111-2222-3333-4444-555555555555";
    alloc->group_name = "group";
    alloc->job = job;
    registry.Add(&driver);
    options.task_name = "web";
    options.services = &services;
    services.drivers = &registry;
    options.gate = &gate;
    options.dir_builder = &builder;
    services.preparer = &preparer;
    options.observer = this;
    options.store = &store;
    services.random = [](std::uint64_t) { return 0; };
    services.report = [this](const std::string&, const Error& error) {
      reports.push_back(error.message());
    };
    contexts_before = Context::live();
    runners_before = TaskRunner::live();
  }

  // May be called only before Start. Until then, the test may change the job, its group and its
  // task.
  Job& job() { return const_cast<Job&>(*alloc->job); }
  TaskGroup& group() { return job().groups[0]; }
  Task& task() { return group().tasks[0]; }
  RestartPolicy& policy() { return group().restart_policy; }
  FakeDriver::Script& script() { return driver.On("web"); }

  void OnTaskState(const std::string&, TaskSnapshot state) override {
    if (!state->events.empty() && (!last || !(last->events == state->events)))
      types.push_back(state->events.back()->type);
    if (!last || last->state != state->state)
      states.push_back(std::string(RunnerStateName(state->state)));
    last = state;
  }

  void Create() {
    options.alloc = alloc;
    auto made = TaskRunner::Create(&loop, options);
    ASSERT_TRUE(made.ok());
    runner = std::move(*made);
    last = runner->snapshot();
    for (const TaskEvent& event : last->events) types.push_back(event.type);
    // The runner owns the hooks now, so the options must not keep them alive.
    options.hooks_before_dir.clear();
    options.hooks_before_stats.clear();
    options.hooks_after_stats.clear();
    options.restored.reset();
  }
  void Start() {
    if (!runner) Create();
    auto run = [](std::shared_ptr<TaskRunner> on, bool* out) -> Co<void> {
      co_await on->Run();
      *out = true;
    };
    loop.Spawn(run(runner, &over));
    loop.RunReady();
  }
  std::shared_ptr<ScriptedHook> AddHook(const std::string& name) {
    auto hook = std::make_shared<ScriptedHook>(&loop, name, &hook_log);
    options.hooks_before_stats.push_back(hook);
    return hook;
  }

  // Kills the task as its allocation would, and runs everything that follows.
  void Kill() {
    kill_status.reset();
    auto kill = [](std::shared_ptr<TaskRunner> on, std::optional<Status>* out) -> Co<void> {
      const Status status = co_await on->Kill(on->MakeKillingEvent());
      out->emplace(status);
    };
    loop.Spawn(kill(runner, &kill_status));
    loop.RunReady();
  }
  // Ends a runner whose task is dead, as the allocation does when all its tasks are dead.
  void Finish() {
    runner->StartKill(std::nullopt);
    loop.RunReady();
    EXPECT_TRUE(over);
  }
  void Shutdown() {
    auto shut = [](std::shared_ptr<TaskRunner> on, bool* out) -> Co<void> {
      co_await on->Shutdown();
      *out = true;
    };
    loop.Spawn(shut(runner, &shut_down));
    loop.RunReady();
  }
  // Runs REQUEST to its end and returns its result.
  Status Ask(Co<Status> request) {
    std::optional<Status> answer;
    auto ask = [](Co<Status> inner, std::optional<Status>* out) -> Co<void> {
      const Status status = co_await std::move(inner);
      out->emplace(status);
    };
    loop.Spawn(ask(std::move(request), &answer));
    EXPECT_TRUE(loop.RunUntil([&answer] { return answer.has_value(); }, 1min));
    return answer.value_or(Status(Error(Code::kInternal, "no answer")));
  }
  Status Restart(bool failure = false) {
    return Ask(runner->Restart(TaskEvent(event_type::kRestartSignaled), failure));
  }

  TaskSnapshot state() const { return runner->snapshot(); }
  RunnerState phase() const { return runner->snapshot()->state; }

  // Checks that nothing is left, and that the runner has ended unless runner_must_end is false.
  void TearDown() override {
    if (runner && runner_must_end) {
      EXPECT_TRUE(over) << "the run has not ended";
    }
    runner = nullptr;
    options = TaskRunnerOptions();
    loop.RunReady();
    EXPECT_EQ(loop.live_timers(), 0u);
    EXPECT_EQ(driver.open_calls(), 0);
    EXPECT_EQ(driver.live_runs(), runs_left);
    EXPECT_EQ(TaskRunner::live(), runners_before);
    for (const auto& weak : hooks_to_check) EXPECT_TRUE(weak.expired());
    EXPECT_EQ(Context::live(), contexts_before);
  }

  StoppableLoop loop;
  FakeDriver driver{&loop};
  FakeDriverRegistry registry;
  FakeGate gate{&loop};
  FakeBuilder builder;
  FakePreparer preparer;
  FakeStore store;
  std::shared_ptr<Allocation> alloc = std::make_shared<Allocation>();
  TaskServices services;
  TaskRunnerOptions options;
  std::shared_ptr<TaskRunner> runner;

  std::vector<std::string> types;   // the types of all events, in order
  std::vector<std::string> states;  // the name of each new state, in order
  std::vector<std::string> reports;
  std::vector<std::string> hook_log;
  TaskSnapshot last;
  std::optional<Status> kill_status;
  bool over = false;
  bool shut_down = false;
  bool runner_must_end = true;
  std::size_t runs_left = 0;
  long contexts_before = 0;
  long runners_before = 0;
  std::vector<std::weak_ptr<TaskHook>> hooks_to_check;
};

}  // namespace drover
