// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/local_alloc_runner.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "host/alloc/alloc_bench.h"
#include "host/alloc/disk_alloc_dir.h"

namespace drover {
namespace {

using Types = std::vector<std::string>;

// A hook that a test can hold up, and that records its calls.
class TestHook : public AllocHook {
 public:
  struct Script {
    std::vector<std::string> calls;
    std::optional<Error> prerun_error;
    bool prerun_blocks = false;
    bool update_blocks = false;
    bool destroy_blocks = false;
    std::string fails;  // the stage that fails, by its name in CALLS
    std::optional<Error> destroy_error;
    std::vector<std::uint64_t> updates;  // the indexes of the allocations in its updates
    std::string interrupted;
  };
  explicit TestHook(Script* script) : script_(script) {}
  std::string_view name() const override { return "test"; }
  Co<Status> Prerun(Context context, AllocHookRequest) override {
    script_->calls.push_back("prerun");
    if (script_->prerun_blocks) {
      co_await context.Cancelled();
      script_->interrupted = context.status().error().message();
      co_return context.status();
    }
    if (script_->prerun_error) co_return *script_->prerun_error;
    co_return Status();
  }
  Co<Status> Update(Context context, AllocHookRequest request) override {
    script_->calls.push_back("update");
    script_->updates.push_back(request.alloc->alloc_modify_index);
    if (script_->update_blocks) co_await context.Cancelled();
    if (script_->fails == "update") co_return Error(Code::kInternal, "no luck");
    co_return Status();
  }
  Co<Status> PreTaskRestart(Context, AllocHookRequest) override { return Note("restart"); }
  Co<Status> Prekill(Context, AllocHookRequest) override { return Note("prekill"); }
  Co<Status> Postrun(Context, AllocHookRequest) override { return Note("postrun"); }
  Co<Status> Destroy(Context context, AllocHookRequest) override {
    script_->calls.push_back("destroy");
    if (script_->destroy_blocks) {
      co_await context.Cancelled();
      co_return context.status();
    }
    if (script_->destroy_error) co_return *script_->destroy_error;
    co_return Status();
  }
  Co<Status> Shutdown(Context, AllocHookRequest) override { return Note("shutdown"); }

 private:
  Co<Status> Note(std::string stage) {
    script_->calls.push_back(stage);
    if (script_->fails == stage) co_return Error(Code::kInternal, "no luck");
    co_return Status();
  }

  Script* const script_;
};

class LocalAllocRunnerTest : public testing::Test {
 protected:
  LocalAllocRunnerTest() {
    bench_.env.extra_hooks.push_back(
        [this](const AllocHookEnv&) { return std::make_unique<TestHook>(&hook_); });
    bench_.env.report = [this](const std::string& id, const Error& error) {
      EXPECT_EQ(id, bench_.runner().id());
      reports_.push_back(error.message());
    };
  }
  void Shutdown() {
    bool done = false;
    auto run = [](LocalAllocRunner* runner, bool* out) -> Co<void> {
      co_await runner->Shutdown();
      *out = true;
    };
    bench_.loop.Spawn(run(&bench_.runner(), &done));
    bench_.loop.RunReady();
    EXPECT_TRUE(done);
  }

  TestHook::Script hook_;
  std::vector<std::string> reports_;
  AllocBench bench_;
};

TEST_F(LocalAllocRunnerTest, AnUnknownGroupIsAnError) {
  auto alloc = std::make_shared<Allocation>();
  alloc->job = std::make_shared<const Job>();
  alloc->group_name = "nowhere";
  const LocalAllocRunnerFactory unused(bench_.env);
  LocalAllocRunnerFactory factory(bench_.env);
  AllocRunnerRequest request;
  request.alloc = alloc;
  const auto made = factory.Make(request);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(), "failed to lookup task group \"nowhere\"");
}

TEST_F(LocalAllocRunnerTest, ABatchRunsToItsEndAndEveryStageIsCalledOnce) {
  bench_.job().type = JobType::kBatch;
  bench_.driver.On("main").run_for = 5s;
  bench_.AddTask("main");
  bench_.Make();
  EXPECT_EQ(bench_.status(), (AllocStatus{ClientStatus::kPending, "No tasks have started"}));
  bench_.runner().Start();
  bench_.loop.Advance(1s);
  EXPECT_EQ(bench_.status(), (AllocStatus{ClientStatus::kRunning, "Tasks are running"}));
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.Events("main"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
  EXPECT_EQ(bench_.status().status, ClientStatus::kComplete);
  EXPECT_EQ(hook_.calls, (Types{"prerun", "prekill", "postrun"}));
  EXPECT_EQ(bench_.loop.live_timers(), 0u) << "nothing waits after the end";
  bench_.Destroy();
  EXPECT_EQ(hook_.calls, (Types{"prerun", "prekill", "postrun", "destroy"}));
}

TEST_F(LocalAllocRunnerTest, DirectoriesAreMadeForEachTask) {
  bench_.AddTask("init", "init");
  bench_.AddTask("main");
  bench_.driver.On("init").run_for = 1s;
  bench_.Start();
  bench_.loop.Advance(2s);
  EXPECT_EQ(bench_.disk.tasks, (Types{"init", "main"}));
  const auto config = bench_.driver.last_config("main");
  EXPECT_EQ(config->alloc_dir, "/nowhere/alloc");
  EXPECT_EQ(config->task_dir, "/nowhere/main");
  EXPECT_EQ(config->log_dir, "/nowhere/alloc/logs");
}

TEST_F(LocalAllocRunnerTest, AFailedHookFailsTheAllocationBeforeAnyTask) {
  hook_.prerun_error = Error(Code::kPermissionDenied, "no luck");
  bench_.AddTask("main");
  bench_.AddTask("side", "side");
  bench_.AddTask("stop", "stop");
  bench_.Start();
  EXPECT_TRUE(bench_.RunToEnd());
  const std::string reason = "failed to setup alloc: pre-run hook \"test\" failed: no luck";
  for (const char* task : {"main", "side", "stop"}) {
    EXPECT_EQ(bench_.Brief(task), "dead/0");
    EXPECT_TRUE(bench_.state(task).failed);
    EXPECT_NE(bench_.state(task).finished_at, 0);
    const TaskEvent& event = bench_.state(task).events.back();
    EXPECT_EQ(event.type, "Setup Failure");
    EXPECT_EQ(DisplayMessage(event), reason);
  }
  EXPECT_EQ(bench_.status().status, ClientStatus::kFailed);
  EXPECT_EQ(bench_.driver.Count("start"), 0);
}

TEST_F(LocalAllocRunnerTest, TheNetworkOfAPrerunHookIsThatOfAllTasks) {
  bench_.env.extra_hooks.push_back([this](const AllocHookEnv& env) {
    env.resources->SetNetworkNamespace("/run/netns/a");
    return std::make_unique<TestHook>(&hook_);
  });
  bench_.AddTask("main");
  bench_.AddTask("side", "side");
  bench_.Start();
  EXPECT_EQ(bench_.driver.networks, (std::map<std::string, std::string>{{"main", "/run/netns/a"},
                                                                        {"side", "/run/netns/a"}}));
}

TEST_F(LocalAllocRunnerTest, ErrorsOfLaterStagesAreReportedAndStopNothing) {
  // The first of two hooks fails: the second is called all the same.
  TestHook::Script second;
  bench_.env.extra_hooks.push_back(
      [&second](const AllocHookEnv&) { return std::make_unique<TestHook>(&second); });
  bench_.driver.On("main").stop_delay = 1s;  // time between prekill and postrun
  bench_.AddTask("main");
  bench_.Start();
  hook_.fails = "update";
  bench_.Update(bench_.NextAlloc());
  bench_.loop.RunReady();
  EXPECT_EQ(reports_, Types{"update hook \"test\" failed: no luck"});
  EXPECT_EQ(second.calls.back(), "update");
  EXPECT_EQ(bench_.Brief("main"), "running/0");

  hook_.fails = "restart";
  const Status restarted = bench_.Wait(bench_.runner().RestartRunning());
  EXPECT_EQ(restarted.error().message(), "pre-task-restart hook \"test\" failed: no luck");
  EXPECT_EQ(second.calls.back(), "restart");
  bench_.loop.Advance(2s);
  EXPECT_EQ(bench_.Brief("main"), "running/1") << "restarted all the same";
  EXPECT_EQ(reports_.size(), 1u) << "the requester gets the error";

  reports_.clear();
  hook_.fails = "prekill";
  bench_.UpdateToStop();
  bench_.loop.RunUntil([&second] { return second.calls.back() == "prekill"; }, 1min);
  EXPECT_EQ(reports_, Types{"pre-kill hook \"test\" failed: no luck"});
  hook_.fails = "postrun";
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(reports_.back(), "post-run hook \"test\" failed: no luck");
  EXPECT_EQ(second.calls.back(), "postrun");
  EXPECT_EQ(bench_.status().status, ClientStatus::kComplete);
  hook_.fails = "shutdown";
  Shutdown();
  EXPECT_EQ(reports_.back(), "shutdown hook \"test\" failed: no luck");
  EXPECT_EQ(second.calls.back(), "shutdown");
  bench_.Destroy();  // before the second hook's script is destroyed
}

TEST_F(LocalAllocRunnerTest, ARestartOfOneTaskIsNoneOfTheHooksBusiness) {
  bench_.AddTask("main");
  bench_.AddTask("side", "side");
  bench_.Start();
  const LifecyclePhase phase = bench_.runner().coordinator().phase();
  EXPECT_TRUE(bench_.Wait(bench_.runner().RestartTask("main")).ok());
  EXPECT_EQ(hook_.calls, Types{"prerun"});
  EXPECT_EQ(bench_.runner().coordinator().phase(), phase);
  EXPECT_TRUE(bench_.Wait(bench_.runner().RestartRunning()).ok());
  EXPECT_EQ(hook_.calls, (Types{"prerun", "restart"}));
}

TEST_F(LocalAllocRunnerTest, AHookThatHangsHoldsTheAllocationNoLongerThanItsDeadline) {
  // Ignores its context, so it is left behind.
  struct Deaf : TestHook {
    using TestHook::TestHook;
    Co<Status> Prekill(Context, AllocHookRequest) override { return Hang(); }
    Co<Status> Postrun(Context, AllocHookRequest) override { return Hang(); }
    Co<Status> Hang() {
      co_await never->Wait();
      co_return Status();
    }
    std::shared_ptr<Event> never;
  };
  const auto never = std::make_shared<Event>(&bench_.loop);
  TestHook::Script script;
  bench_.env.extra_hooks.push_back([&](const AllocHookEnv&) {
    auto hook = std::make_unique<Deaf>(&script);
    hook->never = never;
    return hook;
  });
  bench_.AddTask("main");
  bench_.Start();
  bench_.UpdateToStop();
  bench_.loop.Advance(1min + 1s);
  EXPECT_EQ(bench_.Brief("main"), "dead/0");
  EXPECT_FALSE(bench_.runner().ended());
  bench_.loop.Advance(1min + 1s);
  EXPECT_TRUE(bench_.runner().ended());
  EXPECT_EQ(reports_, (Types{"pre-kill hook \"test\" failed: it took longer than 1m0s",
                             "post-run hook \"test\" failed: it took longer than 1m0s"}));
  bench_.Destroy();
  never->Set();
  bench_.loop.RunReady();
}

TEST_F(LocalAllocRunnerTest, AFailedDirectoryNamesItsHook) {
  bench_.disk.build_error = Error(Code::kResourceExhausted, "mkdir x: No space left on device");
  bench_.AddTask("main");
  bench_.Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(DisplayMessage(bench_.state("main").events.back()),
            "failed to setup alloc: pre-run hook \"alloc_dir\" failed: mkdir x: No space left on "
            "device");
  EXPECT_TRUE(hook_.calls.empty() || hook_.calls.front() != "prerun");
}

TEST_F(LocalAllocRunnerTest, AStopInterruptsPrerunAndIsNoFailure) {
  hook_.prerun_blocks = true;
  bench_.AddTask("main");
  bench_.Start();
  EXPECT_EQ(hook_.calls, Types{"prerun"});
  bench_.UpdateToStop();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_FALSE(hook_.interrupted.empty());
  EXPECT_EQ(bench_.Events("main"), (Types{"Received", "Killing"}));
  EXPECT_EQ(bench_.status().status, ClientStatus::kComplete);
  EXPECT_TRUE(reports_.empty()) << "an interruption is no error";
}

TEST_F(LocalAllocRunnerTest, AShutdownInterruptsPrerunAndChangesNothing) {
  hook_.prerun_blocks = true;
  bench_.AddTask("main");
  bench_.Start();
  Shutdown();
  EXPECT_TRUE(bench_.runner().ended());
  EXPECT_EQ(bench_.Events("main"), Types{"Received"});
  EXPECT_EQ(bench_.status().status, ClientStatus::kPending);
  EXPECT_EQ(hook_.calls, (Types{"prerun", "shutdown"}));
}

TEST_F(LocalAllocRunnerTest, AnAllocationThatIsToStopIsNeverSetUp) {
  bench_.AddTask("main");
  bench_.Make();
  bench_.UpdateToStop();
  bench_.runner().Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.driver.Count("start"), 0);
  EXPECT_EQ(bench_.Brief("main"), "dead/0");
}

TEST_F(LocalAllocRunnerTest, UpdatesReachHooksNewestFirstAndOldOnesAreDropped) {
  hook_.update_blocks = true;
  bench_.AddTask("main");
  bench_.Start();
  const Allocation first = bench_.NextAlloc();  // 11
  const Allocation second = bench_.NextAlloc();
  const Allocation third = bench_.NextAlloc();
  bench_.Update(second);
  bench_.loop.RunReady();  // the hook is busy with it
  bench_.Update(first);    // older than the known one
  bench_.Update(third);
  const Allocation fourth = bench_.NextAlloc();
  bench_.Update(fourth);  // replaces the third
  bench_.loop.RunReady();
  EXPECT_EQ(hook_.updates, std::vector<std::uint64_t>{12});
  // An update that stops the allocation interrupts the hook, and no hook hears it.
  bench_.UpdateToStop();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(hook_.updates, std::vector<std::uint64_t>{12});
  EXPECT_EQ(bench_.runner().snapshot()->alloc->alloc_modify_index, 15u);
  // After the end, nothing changes any more.
  bench_.Update(bench_.NextAlloc());
  bench_.loop.RunReady();
  EXPECT_EQ(bench_.runner().snapshot()->alloc->alloc_modify_index, 15u);
}

TEST_F(LocalAllocRunnerTest, OnlyTheNewestOfTheWaitingUpdatesIsApplied) {
  bench_.AddTask("main");
  bench_.Start();
  for (int i = 0; i < 5; ++i) bench_.Update(bench_.NextAlloc());
  bench_.loop.RunReady();
  EXPECT_EQ(hook_.updates, std::vector<std::uint64_t>{15});
}

TEST_F(LocalAllocRunnerTest, AnUpdateWithAnotherMaxRunDurationCounts) {
  bench_.group().max_run_duration = 1h;
  bench_.AddTask("main");
  bench_.Start();
  Allocation alloc = bench_.NextAlloc();
  Job job = *alloc.job;
  job.groups[0].max_run_duration = 1min;
  alloc.job = std::make_shared<const Job>(job);
  bench_.Update(alloc);
  bench_.loop.Advance(1min);
  EXPECT_TRUE(bench_.runner().ended());
}

TEST_F(LocalAllocRunnerTest, SnapshotsDoNotChangeAndObserversHearOfEachChange) {
  class Noting : public AllocObserver {
   public:
    void OnAllocState(const AllocSnapshot& state) override {
      if (seen.empty() || seen.back() != state->status.status) seen.push_back(state->status.status);
      ++calls;
    }
    std::vector<ClientStatus> seen;
    int calls = 0;
  };
  Noting observer;
  bench_.AddTask("main");
  bench_.Make();
  bench_.runner().AddObserver(&observer);
  const AllocSnapshot before = bench_.runner().snapshot();
  bench_.runner().Start();
  bench_.loop.RunReady();
  EXPECT_EQ(before->status.status, ClientStatus::kPending);
  EXPECT_EQ(before->tasks.at("main")->state, RunnerState::kPending);
  const int calls = observer.calls;
  bench_.loop.Advance(1h);
  EXPECT_EQ(observer.calls, calls) << "nothing has changed";
  bench_.UpdateToStop();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(observer.seen,
            (std::vector<ClientStatus>{ClientStatus::kPending, ClientStatus::kRunning,
                                       ClientStatus::kComplete}));
  bench_.runner().RemoveObserver(&observer);
}

TEST_F(LocalAllocRunnerTest, ADestroyThatFailsCanBeRepeated) {
  bench_.keep_records = true;
  bench_.AddTask("main");
  bench_.Start();
  bench_.disk.destroy_error = Error(Code::kFailedPrecondition, "secrets: still used", true);
  const Status status = bench_.Wait(bench_.runner().Destroy());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message(), "destroy hook \"alloc_dir\" failed: secrets: still used");
  EXPECT_FALSE(bench_.records.deleted) << "only the record leads back to the directory";
  bench_.disk.destroy_error.reset();
  EXPECT_TRUE(bench_.Wait(bench_.runner().Destroy()).ok());
  EXPECT_TRUE(bench_.records.deleted);
  bench_.Destroy();
  EXPECT_EQ(bench_.disk.destroys, 2) << "after success, nothing is removed again";
}

TEST_F(LocalAllocRunnerTest, AShutdownInterruptsADestroy) {
  hook_.destroy_blocks = true;
  bench_.AddTask("main");
  bench_.Start();
  Status destroyed;
  auto destroy = [](LocalAllocRunner* runner, Status* out) -> Co<void> {
    *out = co_await runner->Destroy();
  };
  bench_.loop.Spawn(destroy(&bench_.runner(), &destroyed));
  bench_.loop.RunUntil([this] { return hook_.calls.back() == "destroy"; }, 1min);
  Shutdown();
  EXPECT_EQ(destroyed.code(), Code::kCancelled);
  EXPECT_TRUE(bench_.disk.destroys == 1) << "the other hooks had their turn";
  hook_.destroy_blocks = false;
  bench_.Destroy();
}

TEST_F(LocalAllocRunnerTest, ShutdownLeavesTheTasksAndTheNextAgentTakesThemOver) {
  bench_.keep_records = true;
  bench_.driver.On("init").run_for = 1s;
  bench_.AddTask("init", "init");
  bench_.AddTask("main");
  bench_.AddTask("side", "side");
  bench_.Start();
  bench_.loop.Advance(5s);
  Shutdown();
  EXPECT_TRUE(bench_.runner().ended());
  EXPECT_EQ(bench_.driver.running("main"), 1);
  EXPECT_EQ(bench_.Brief("main"), "running/0");
  EXPECT_EQ(hook_.calls, (Types{"prerun", "shutdown"}));
  const Status destroyed = bench_.Wait(bench_.runner().Destroy());
  EXPECT_EQ(destroyed.code(), Code::kUnavailable) << "a directory in use must stay";
  EXPECT_TRUE(bench_.disk.built);

  bench_.Restore().Start();
  bench_.loop.RunReady();
  EXPECT_EQ(bench_.status().status, ClientStatus::kRunning);
  EXPECT_EQ(bench_.driver.Count("start main"), 1);
  EXPECT_EQ(bench_.driver.Count("start init"), 1) << "a one-shot that is done stays done";
  EXPECT_EQ(bench_.Events("main"), (Types{"Received", "Task Setup", "Started"}));
  bench_.UpdateToStop();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.Brief("side"), "dead/0");
}

TEST_F(LocalAllocRunnerTest, RestoredWithoutItsDirectoryItFailsAndItsTasksEnd) {
  bench_.keep_records = true;
  bench_.AddTask("main");
  bench_.Start();
  Shutdown();
  bench_.disk.built = false;
  bench_.Restore().Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.status(),
            (AllocStatus{ClientStatus::kFailed,
                         "allocation directory is inaccessible: /nowhere: No such file or "
                         "directory"}));
  EXPECT_EQ(bench_.driver.running("main"), 0);
}

TEST_F(LocalAllocRunnerTest, WhatIsOverStaysOverAlsoWithoutItsDirectory) {
  bench_.keep_records = true;
  bench_.AddTask("main");
  bench_.driver.On("main").run_for = 1s;
  bench_.job().type = JobType::kBatch;
  bench_.Start();
  EXPECT_TRUE(bench_.RunToEnd());
  ASSERT_EQ(bench_.status().status, ClientStatus::kComplete);
  const Types events = bench_.Events("main");
  bench_.disk.built = false;
  bench_.Restore().Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.status().status, ClientStatus::kComplete);
  EXPECT_EQ(bench_.Events("main"), events);
}

TEST_F(LocalAllocRunnerTest, ASetUpThatFailsDoesNotEndWhatRuns) {
  bench_.keep_records = true;
  bench_.AddTask("main");
  bench_.AddTask("last", "stop");
  bench_.Start();
  Shutdown();
  hook_.prerun_error = Error(Code::kUnavailable, "no network");
  bench_.Restore().Start();
  bench_.loop.Advance(1min);
  EXPECT_EQ(bench_.status().status, ClientStatus::kRunning);
  EXPECT_EQ(bench_.driver.running("main"), 1);
  EXPECT_EQ(bench_.Events("main"), (Types{"Received", "Task Setup", "Started"}));
  // A start now would need what could not be set up.
  bench_.UpdateToStop();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.driver.Count("start last"), 0);
  EXPECT_THAT(DisplayMessage(bench_.state("last").events.back()), testing::HasSubstr("no network"));
}

TEST_F(LocalAllocRunnerTest, ARestoredTaskWhoseRunMayGoOnElsewhereIsNotStarted) {
  bench_.keep_records = true;
  bench_.AddTask("lost");
  bench_.AddTask("known");
  bench_.Start();
  Shutdown();
  RestoredTask& lost = bench_.records.tasks.at("lost");
  const RunId run = *std::exchange(lost.local, LocalState()).run_id;
  lost.no_start = "its run may go on";
  bench_.Restore().Start();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_EQ(bench_.status().status, ClientStatus::kFailed);
  EXPECT_EQ(bench_.driver.Count("start lost"), 1);
  EXPECT_EQ(bench_.driver.running("lost"), 1) << "nobody has touched it";
  EXPECT_EQ(bench_.driver.running("known"), 0) << "its allocation has failed";
  EXPECT_EQ(DisplayMessage(bench_.state("lost").events.back()), "its run may go on");
  EXPECT_TRUE(bench_.Wait(bench_.driver.Destroy(Context(&bench_.loop), run, true)).ok());
}

TEST_F(LocalAllocRunnerTest, RestoredButNotWantedItsTasksEndWithoutPrerun) {
  bench_.keep_records = true;
  bench_.AddTask("main");
  bench_.AddTask("stop", "stop");
  bench_.driver.On("stop").run_for = 1s;
  bench_.Start();
  Shutdown();
  hook_.calls.clear();
  Allocation alloc = bench_.NextAlloc();
  alloc.desired_status = DesiredStatus::kStop;
  bench_.Make();
  AllocRunnerRequest request;
  request.alloc = std::make_shared<const Allocation>(alloc);
  request.restored = bench_.records.tasks;
  auto made = LocalAllocRunner::Create(std::make_shared<const LocalAllocEnv>(bench_.env), request);
  const std::unique_ptr<LocalAllocRunner> runner = std::move(made).value();
  runner->Start();
  EXPECT_TRUE(bench_.loop.RunUntil([&runner] { return runner->ended(); }, 1h));
  EXPECT_EQ(hook_.calls, (Types{"prekill", "postrun"}));
  const TaskStateRecord& main = *runner->snapshot()->tasks.at("main");
  Types events;
  for (const TaskEvent& event : main.events) events.push_back(event.type);
  EXPECT_EQ(events, (Types{"Received", "Task Setup", "Started", "Terminated"}));
  EXPECT_EQ(bench_.driver.Count("start stop"), 1);
  EXPECT_TRUE(bench_.Wait(runner->Destroy()).ok());
}

TEST_F(LocalAllocRunnerTest, UsageIsTheSumOfTheRunningTasks) {
  bench_.driver.On("init").run_for = 1s;
  bench_.AddTask("a");
  bench_.AddTask("b");
  bench_.AddTask("init", "init");
  bench_.Start();
  bench_.loop.Advance(5s);
  AllocUsage all;
  AllocUsage one;
  AllocUsage unknown;
  auto ask = [](AllocBench* bench, std::string task, AllocUsage* out) -> Co<void> {
    Context context(&bench->loop);
    const Context limited = context.WithTimeout(5s);
    *out = co_await bench->runner().Usage(limited, std::move(task), UsageDetail::kProcesses);
  };
  EXPECT_TRUE(bench_.loop.RunToEnd(ask(&bench_, "", &all), 1min));
  EXPECT_TRUE(bench_.loop.RunToEnd(ask(&bench_, "a", &one), 1min));
  EXPECT_TRUE(bench_.loop.RunToEnd(ask(&bench_, "nobody", &unknown), 1min));
  ASSERT_EQ(all.tasks.size(), 2u);
  ASSERT_EQ(one.tasks.size(), 1u);
  EXPECT_TRUE(unknown.tasks.empty());
  EXPECT_EQ(unknown.timestamp, 0);
  EXPECT_EQ(all.total.memory.rss,
            all.tasks.at("a")->total.memory.rss + all.tasks.at("b")->total.memory.rss);
  EXPECT_EQ(one.total.memory.rss, one.tasks.at("a")->total.memory.rss);
  EXPECT_EQ(all.timestamp, std::max(all.tasks.at("a")->timestamp, all.tasks.at("b")->timestamp));
}

TEST_F(LocalAllocRunnerTest, ExecNeedsATaskThatIsKnown) {
  bench_.AddTask("main");
  bench_.Start();
  Code code = Code::kOk;
  Code unknown = Code::kOk;
  auto exec = [](AllocBench* bench, std::string task, Code* out) -> Co<void> {
    ExecRequest request;
    request.command = {"true"};
    const Context context(&bench->loop);
    const auto session =
        co_await bench->runner().Exec(context, std::move(task), std::move(request));
    *out = session.code();
  };
  EXPECT_TRUE(bench_.loop.RunToEnd(exec(&bench_, "main", &code), 1min));
  EXPECT_TRUE(bench_.loop.RunToEnd(exec(&bench_, "nobody", &unknown), 1min));
  EXPECT_EQ(code, Code::kOk);
  EXPECT_EQ(unknown, Code::kNotFound);
}

TEST_F(LocalAllocRunnerTest, WithARealDirectoryNothingIsLeftOnTheDisk) {
  char name[] = "/tmp/drover-alloc-runner-XXXXXX";
  const std::string base = mkdtemp(name);
  bench_.env.make_dir = [&base](const std::string& id) {
    DiskAllocDirOptions options;
    options.base = base;
    options.private_tmpfs = false;
    return std::make_unique<DiskAllocDir>(options, id);
  };
  bench_.AddTask("main");
  bench_.Start();
  const std::string dir = bench_.runner().dir()->path();
  EXPECT_TRUE(std::filesystem::exists(dir + "/main/secrets"));
  bench_.UpdateToStop();
  EXPECT_TRUE(bench_.RunToEnd());
  EXPECT_TRUE(std::filesystem::exists(dir + "/main/local")) << "files outlive their task";
  bench_.Destroy();
  EXPECT_TRUE(std::filesystem::is_empty(base));
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace drover
