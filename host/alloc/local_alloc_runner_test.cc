// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/local_alloc_runner.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "host/alloc/alloc_fixture.h"
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
    fixture_.env.extra_hooks.push_back(
        [this](const AllocHookEnv&) { return std::make_unique<TestHook>(&hook_); });
    fixture_.env.report = [this](const std::string& id, const Error& error) {
      EXPECT_EQ(id, fixture_.runner().id());
      reports_.push_back(error.message());
    };
  }
  void Shutdown() {
    bool done = false;
    auto run = [](LocalAllocRunner* runner, bool* out) -> Co<void> {
      co_await runner->Shutdown();
      *out = true;
    };
    fixture_.loop.Spawn(run(&fixture_.runner(), &done));
    fixture_.loop.RunReady();
    EXPECT_TRUE(done);
  }

  TestHook::Script hook_;
  std::vector<std::string> reports_;
  AllocFixture fixture_;
};

TEST_F(LocalAllocRunnerTest, AnUnknownGroupIsAnError) {
  auto alloc = std::make_shared<Allocation>();
  alloc->job = std::make_shared<const Job>();
  alloc->group_name = "nowhere";
  const LocalAllocRunnerFactory unused(fixture_.env);
  LocalAllocRunnerFactory factory(fixture_.env);
  AllocRunnerRequest request;
  request.alloc = alloc;
  const auto made = factory.Make(request);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(), "failed to lookup task group \"nowhere\"");
}

TEST_F(LocalAllocRunnerTest, ABatchRunsToItsEndAndEveryStageIsCalledOnce) {
  fixture_.job().type = JobType::kBatch;
  fixture_.driver.On("main").run_for = 5s;
  fixture_.AddTask("main");
  fixture_.Make();
  EXPECT_EQ(fixture_.status(), (AllocStatus{ClientStatus::kPending, "No tasks have started"}));
  fixture_.runner().Start();
  fixture_.loop.Advance(1s);
  EXPECT_EQ(fixture_.status(), (AllocStatus{ClientStatus::kRunning, "Tasks are running"}));
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.Events("main"), (Types{"Received", "Task Setup", "Started", "Terminated"}));
  EXPECT_EQ(fixture_.status().status, ClientStatus::kComplete);
  EXPECT_EQ(hook_.calls, (Types{"prerun", "prekill", "postrun"}));
  EXPECT_EQ(fixture_.loop.live_timers(), 0u) << "nothing waits after the end";
  fixture_.Destroy();
  EXPECT_EQ(hook_.calls, (Types{"prerun", "prekill", "postrun", "destroy"}));
}

TEST_F(LocalAllocRunnerTest, DirectoriesAreMadeForEachTask) {
  fixture_.AddTask("init", "init");
  fixture_.AddTask("main");
  fixture_.driver.On("init").run_for = 1s;
  fixture_.Start();
  fixture_.loop.Advance(2s);
  EXPECT_EQ(fixture_.disk.tasks, (Types{"init", "main"}));
  const auto config = fixture_.driver.last_config("main");
  EXPECT_EQ(config->alloc_dir, "/nowhere/alloc");
  EXPECT_EQ(config->task_dir, "/nowhere/main");
  EXPECT_EQ(config->log_dir, "/nowhere/alloc/logs");
}

TEST_F(LocalAllocRunnerTest, AFailedHookFailsTheAllocationBeforeAnyTask) {
  hook_.prerun_error = Error(Code::kPermissionDenied, "no luck");
  fixture_.AddTask("main");
  fixture_.AddTask("side", "side");
  fixture_.AddTask("stop", "stop");
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  const std::string reason = "failed to setup alloc: pre-run hook \"test\" failed: no luck";
  for (const char* task : {"main", "side", "stop"}) {
    EXPECT_EQ(fixture_.Brief(task), "dead/0");
    EXPECT_TRUE(fixture_.state(task).failed);
    EXPECT_NE(fixture_.state(task).finished_at, 0);
    const TaskEvent& event = fixture_.state(task).events.back();
    EXPECT_EQ(event.type, "Setup Failure");
    EXPECT_EQ(DisplayMessage(event), reason);
  }
  EXPECT_EQ(fixture_.status().status, ClientStatus::kFailed);
  EXPECT_EQ(fixture_.driver.Count("start"), 0);
}

TEST_F(LocalAllocRunnerTest, TheNetworkOfAPrerunHookIsThatOfAllTasks) {
  fixture_.env.extra_hooks.push_back([this](const AllocHookEnv& env) {
    env.resources->SetNetworkNamespace("/run/netns/a");
    return std::make_unique<TestHook>(&hook_);
  });
  fixture_.AddTask("main");
  fixture_.AddTask("side", "side");
  fixture_.Start();
  EXPECT_EQ(fixture_.driver.networks, (std::map<std::string, std::string>{
                                          {"main", "/run/netns/a"}, {"side", "/run/netns/a"}}));
}

// Gives its allocation a network, and notes whether the hook after it sees the network.
class NetworkGivingHook : public AllocHook {
 public:
  NetworkGivingHook(AllocControl* control, std::vector<std::string>* seen)
      : control_(control), seen_(seen) {}
  std::string_view name() const override { return "gives"; }
  Co<Status> Prerun(Context, AllocHookRequest request) override {
    seen_->push_back(request.alloc->network ? request.alloc->network->address : "none");
    control_->SetNetwork({"eth0", "172.26.64.2", ""});
    co_return Status();
  }

 private:
  AllocControl* const control_;
  std::vector<std::string>* const seen_;
};

TEST_F(LocalAllocRunnerTest, TheNetworkOfAHookIsSeenByAllAndSurvivesUpdates) {
  std::vector<std::string> seen;
  const auto make = [&seen](const AllocHookEnv& env) {
    EXPECT_NE(env.alloc, nullptr);
    return std::make_unique<NetworkGivingHook>(env.control, &seen);
  };
  fixture_.env.extra_hooks.push_back(make);
  fixture_.env.extra_hooks.push_back(make);
  fixture_.env.extra_hooks.push_back([](const AllocHookEnv&) { return nullptr; });
  fixture_.AddTask("main");
  fixture_.Start();
  EXPECT_EQ(seen, (std::vector<std::string>{"none", "172.26.64.2"}));
  const AllocationNetwork network{"eth0", "172.26.64.2", ""};
  EXPECT_EQ(fixture_.runner().snapshot()->alloc->network, network);
  fixture_.Update(fixture_.NextAlloc());
  fixture_.loop.RunReady();
  EXPECT_EQ(fixture_.runner().snapshot()->alloc->network, network) << "the server does not know it";
}

TEST_F(LocalAllocRunnerTest, ErrorsOfLaterStagesAreReportedAndStopNothing) {
  // The first of two hooks fails: the second is called all the same.
  TestHook::Script second;
  fixture_.env.extra_hooks.push_back(
      [&second](const AllocHookEnv&) { return std::make_unique<TestHook>(&second); });
  fixture_.driver.On("main").stop_delay = 1s;  // time between prekill and postrun
  fixture_.AddTask("main");
  fixture_.Start();
  hook_.fails = "update";
  fixture_.Update(fixture_.NextAlloc());
  fixture_.loop.RunReady();
  EXPECT_EQ(reports_, Types{"update hook \"test\" failed: no luck"});
  EXPECT_EQ(second.calls.back(), "update");
  EXPECT_EQ(fixture_.Brief("main"), "running/0");

  hook_.fails = "restart";
  const Status restarted = fixture_.Wait(fixture_.runner().RestartRunning());
  EXPECT_EQ(restarted.error().message(), "pre-task-restart hook \"test\" failed: no luck");
  EXPECT_EQ(second.calls.back(), "restart");
  fixture_.loop.Advance(2s);
  EXPECT_EQ(fixture_.Brief("main"), "running/1") << "restarted all the same";
  EXPECT_EQ(reports_.size(), 1u) << "the requester gets the error";

  reports_.clear();
  hook_.fails = "prekill";
  fixture_.UpdateToStop();
  fixture_.loop.RunUntil([&second] { return second.calls.back() == "prekill"; }, 1min);
  EXPECT_EQ(reports_, Types{"pre-kill hook \"test\" failed: no luck"});
  hook_.fails = "postrun";
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(reports_.back(), "post-run hook \"test\" failed: no luck");
  EXPECT_EQ(second.calls.back(), "postrun");
  EXPECT_EQ(fixture_.status().status, ClientStatus::kComplete);
  hook_.fails = "shutdown";
  Shutdown();
  EXPECT_EQ(reports_.back(), "shutdown hook \"test\" failed: no luck");
  EXPECT_EQ(second.calls.back(), "shutdown");
  fixture_.Destroy();  // before the second hook's script is destroyed
}

TEST_F(LocalAllocRunnerTest, ARestartOfOneTaskIsNoneOfTheHooksBusiness) {
  fixture_.AddTask("main");
  fixture_.AddTask("side", "side");
  fixture_.Start();
  const LifecyclePhase phase = fixture_.runner().coordinator().phase();
  EXPECT_TRUE(fixture_.Wait(fixture_.runner().RestartTask("main")).ok());
  EXPECT_EQ(hook_.calls, Types{"prerun"});
  EXPECT_EQ(fixture_.runner().coordinator().phase(), phase);
  EXPECT_TRUE(fixture_.Wait(fixture_.runner().RestartRunning()).ok());
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
  const auto never = std::make_shared<Event>(&fixture_.loop);
  TestHook::Script script;
  fixture_.env.extra_hooks.push_back([&](const AllocHookEnv&) {
    auto hook = std::make_unique<Deaf>(&script);
    hook->never = never;
    return hook;
  });
  fixture_.AddTask("main");
  fixture_.Start();
  fixture_.UpdateToStop();
  fixture_.loop.Advance(1min + 1s);
  EXPECT_EQ(fixture_.Brief("main"), "dead/0");
  EXPECT_FALSE(fixture_.runner().ended());
  fixture_.loop.Advance(1min + 1s);
  EXPECT_TRUE(fixture_.runner().ended());
  EXPECT_EQ(reports_, (Types{"pre-kill hook \"test\" failed: it took longer than 1m0s",
                             "post-run hook \"test\" failed: it took longer than 1m0s"}));
  fixture_.Destroy();
  never->Set();
  fixture_.loop.RunReady();
}

TEST_F(LocalAllocRunnerTest, AFailedDirectoryNamesItsHook) {
  fixture_.disk.build_error = Error(Code::kResourceExhausted, "mkdir x: No space left on device");
  fixture_.AddTask("main");
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(DisplayMessage(fixture_.state("main").events.back()),
            "failed to setup alloc: pre-run hook \"alloc_dir\" failed: mkdir x: No space left on "
            "device");
  EXPECT_TRUE(hook_.calls.empty() || hook_.calls.front() != "prerun");
}

TEST_F(LocalAllocRunnerTest, AStopInterruptsPrerunAndIsNoFailure) {
  hook_.prerun_blocks = true;
  fixture_.AddTask("main");
  fixture_.Start();
  EXPECT_EQ(hook_.calls, Types{"prerun"});
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_FALSE(hook_.interrupted.empty());
  EXPECT_EQ(fixture_.Events("main"), (Types{"Received", "Killing"}));
  EXPECT_EQ(fixture_.status().status, ClientStatus::kComplete);
  EXPECT_TRUE(reports_.empty()) << "an interruption is no error";
}

TEST_F(LocalAllocRunnerTest, AShutdownInterruptsPrerunAndChangesNothing) {
  hook_.prerun_blocks = true;
  fixture_.AddTask("main");
  fixture_.Start();
  Shutdown();
  EXPECT_TRUE(fixture_.runner().ended());
  EXPECT_EQ(fixture_.Events("main"), Types{"Received"});
  EXPECT_EQ(fixture_.status().status, ClientStatus::kPending);
  EXPECT_EQ(hook_.calls, (Types{"prerun", "shutdown"}));
}

TEST_F(LocalAllocRunnerTest, AnAllocationThatIsToStopIsNeverSetUp) {
  fixture_.AddTask("main");
  fixture_.Make();
  fixture_.UpdateToStop();
  fixture_.runner().Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.driver.Count("start"), 0);
  EXPECT_EQ(fixture_.Brief("main"), "dead/0");
}

TEST_F(LocalAllocRunnerTest, UpdatesReachHooksNewestFirstAndOldOnesAreDropped) {
  hook_.update_blocks = true;
  fixture_.AddTask("main");
  fixture_.Start();
  const Allocation first = fixture_.NextAlloc();  // 11
  const Allocation second = fixture_.NextAlloc();
  const Allocation third = fixture_.NextAlloc();
  fixture_.Update(second);
  fixture_.loop.RunReady();  // the hook is busy with it
  fixture_.Update(first);    // older than the known one
  fixture_.Update(third);
  const Allocation fourth = fixture_.NextAlloc();
  fixture_.Update(fourth);  // replaces the third
  fixture_.loop.RunReady();
  EXPECT_EQ(hook_.updates, std::vector<std::uint64_t>{12});
  // An update that stops the allocation interrupts the hook, and no hook hears it.
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(hook_.updates, std::vector<std::uint64_t>{12});
  EXPECT_EQ(fixture_.runner().snapshot()->alloc->alloc_modify_index, 15u);
  // After the end, nothing changes any more.
  fixture_.Update(fixture_.NextAlloc());
  fixture_.loop.RunReady();
  EXPECT_EQ(fixture_.runner().snapshot()->alloc->alloc_modify_index, 15u);
}

TEST_F(LocalAllocRunnerTest, OnlyTheNewestOfTheWaitingUpdatesIsApplied) {
  fixture_.AddTask("main");
  fixture_.Start();
  for (int i = 0; i < 5; ++i) fixture_.Update(fixture_.NextAlloc());
  fixture_.loop.RunReady();
  EXPECT_EQ(hook_.updates, std::vector<std::uint64_t>{15});
}

TEST_F(LocalAllocRunnerTest, AnUpdateWithAnotherMaxRunDurationCounts) {
  fixture_.group().max_run_duration = 1h;
  fixture_.AddTask("main");
  fixture_.Start();
  fixture_.Update(fixture_.NextVersion([](Job* job) { job->groups[0].max_run_duration = 1min; }));
  fixture_.loop.Advance(1min);
  EXPECT_TRUE(fixture_.runner().ended());
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
  fixture_.AddTask("main");
  fixture_.Make();
  fixture_.runner().AddObserver(&observer);
  const AllocSnapshot before = fixture_.runner().snapshot();
  fixture_.runner().Start();
  fixture_.loop.RunReady();
  EXPECT_EQ(before->status.status, ClientStatus::kPending);
  EXPECT_EQ(before->tasks.at("main")->state, RunnerState::kPending);
  const int calls = observer.calls;
  fixture_.loop.Advance(1h);
  EXPECT_EQ(observer.calls, calls) << "nothing has changed";
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(observer.seen,
            (std::vector<ClientStatus>{ClientStatus::kPending, ClientStatus::kRunning,
                                       ClientStatus::kComplete}));
  fixture_.runner().RemoveObserver(&observer);
}

TEST_F(LocalAllocRunnerTest, ADestroyThatFailsCanBeRepeated) {
  fixture_.keep_records = true;
  fixture_.AddTask("main");
  fixture_.Start();
  fixture_.disk.destroy_error = Error(Code::kFailedPrecondition, "secrets: still used", true);
  const Status status = fixture_.Wait(fixture_.runner().Destroy());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message(), "destroy hook \"alloc_dir\" failed: secrets: still used");
  EXPECT_FALSE(fixture_.records.deleted) << "only the record leads back to the directory";
  fixture_.disk.destroy_error.reset();
  EXPECT_TRUE(fixture_.Wait(fixture_.runner().Destroy()).ok());
  EXPECT_TRUE(fixture_.records.deleted);
  fixture_.Destroy();
  EXPECT_EQ(fixture_.disk.destroys, 2) << "after success, nothing is removed again";
}

TEST_F(LocalAllocRunnerTest, AShutdownInterruptsADestroy) {
  hook_.destroy_blocks = true;
  fixture_.AddTask("main");
  fixture_.Start();
  Status destroyed;
  auto destroy = [](LocalAllocRunner* runner, Status* out) -> Co<void> {
    *out = co_await runner->Destroy();
  };
  fixture_.loop.Spawn(destroy(&fixture_.runner(), &destroyed));
  fixture_.loop.RunUntil([this] { return hook_.calls.back() == "destroy"; }, 1min);
  Shutdown();
  EXPECT_EQ(destroyed.code(), Code::kCancelled);
  EXPECT_TRUE(fixture_.disk.destroys == 1) << "the other hooks had their turn";
  hook_.destroy_blocks = false;
  fixture_.Destroy();
}

TEST_F(LocalAllocRunnerTest, ShutdownLeavesTheTasksAndTheNextAgentTakesThemOver) {
  fixture_.keep_records = true;
  fixture_.driver.On("init").run_for = 1s;
  fixture_.AddTask("init", "init");
  fixture_.AddTask("main");
  fixture_.AddTask("side", "side");
  fixture_.Start();
  fixture_.loop.Advance(5s);
  Shutdown();
  EXPECT_TRUE(fixture_.runner().ended());
  EXPECT_EQ(fixture_.driver.running("main"), 1);
  EXPECT_EQ(fixture_.Brief("main"), "running/0");
  EXPECT_EQ(hook_.calls, (Types{"prerun", "shutdown"}));
  const Status destroyed = fixture_.Wait(fixture_.runner().Destroy());
  EXPECT_EQ(destroyed.code(), Code::kUnavailable) << "a directory in use must stay";
  EXPECT_TRUE(fixture_.disk.built);

  fixture_.Restore().Start();
  fixture_.loop.RunReady();
  EXPECT_EQ(fixture_.status().status, ClientStatus::kRunning);
  EXPECT_EQ(fixture_.driver.Count("start main"), 1);
  EXPECT_EQ(fixture_.driver.Count("start init"), 1) << "a one-shot that is done stays done";
  EXPECT_EQ(fixture_.Events("main"), (Types{"Received", "Task Setup", "Started"}));
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.Brief("side"), "dead/0");
}

TEST_F(LocalAllocRunnerTest, RestoredWithoutItsDirectoryItFailsAndItsTasksEnd) {
  fixture_.keep_records = true;
  fixture_.AddTask("main");
  fixture_.Start();
  Shutdown();
  fixture_.disk.built = false;
  fixture_.Restore().Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.status(),
            (AllocStatus{ClientStatus::kFailed,
                         "allocation directory is inaccessible: /nowhere: No such file or "
                         "directory"}));
  EXPECT_EQ(fixture_.driver.running("main"), 0);
}

TEST_F(LocalAllocRunnerTest, WhatIsOverStaysOverAlsoWithoutItsDirectory) {
  fixture_.keep_records = true;
  fixture_.AddTask("main");
  fixture_.driver.On("main").run_for = 1s;
  fixture_.job().type = JobType::kBatch;
  fixture_.Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  ASSERT_EQ(fixture_.status().status, ClientStatus::kComplete);
  const Types events = fixture_.Events("main");
  fixture_.disk.built = false;
  fixture_.Restore().Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.status().status, ClientStatus::kComplete);
  EXPECT_EQ(fixture_.Events("main"), events);
}

TEST_F(LocalAllocRunnerTest, ASetUpThatFailsDoesNotEndWhatRuns) {
  fixture_.keep_records = true;
  fixture_.AddTask("main");
  fixture_.AddTask("last", "stop");
  fixture_.Start();
  Shutdown();
  hook_.prerun_error = Error(Code::kUnavailable, "no network");
  fixture_.Restore().Start();
  fixture_.loop.Advance(1min);
  EXPECT_EQ(fixture_.status().status, ClientStatus::kRunning);
  EXPECT_EQ(fixture_.driver.running("main"), 1);
  EXPECT_EQ(fixture_.Events("main"), (Types{"Received", "Task Setup", "Started"}));
  // A start now would need what could not be set up.
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.driver.Count("start last"), 0);
  EXPECT_THAT(DisplayMessage(fixture_.state("last").events.back()),
              testing::HasSubstr("no network"));
}

TEST_F(LocalAllocRunnerTest, ARestoredTaskWhoseRunMayGoOnElsewhereIsNotStarted) {
  fixture_.keep_records = true;
  fixture_.AddTask("lost");
  fixture_.AddTask("known");
  fixture_.Start();
  Shutdown();
  RestoredTask& lost = fixture_.records.tasks.at("lost");
  const RunId run = *std::exchange(lost.local, LocalState()).run_id;
  lost.no_start = "its run may go on";
  fixture_.Restore().Start();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_EQ(fixture_.status().status, ClientStatus::kFailed);
  EXPECT_EQ(fixture_.driver.Count("start lost"), 1);
  EXPECT_EQ(fixture_.driver.running("lost"), 1) << "nobody has touched it";
  EXPECT_EQ(fixture_.driver.running("known"), 0) << "its allocation has failed";
  EXPECT_EQ(DisplayMessage(fixture_.state("lost").events.back()), "its run may go on");
  EXPECT_TRUE(fixture_.Wait(fixture_.driver.Destroy(Context(&fixture_.loop), run, true)).ok());
}

TEST_F(LocalAllocRunnerTest, RestoredButNotWantedItsTasksEndWithoutPrerun) {
  fixture_.keep_records = true;
  fixture_.AddTask("main");
  fixture_.AddTask("stop", "stop");
  fixture_.driver.On("stop").run_for = 1s;
  fixture_.Start();
  Shutdown();
  hook_.calls.clear();
  Allocation alloc = fixture_.NextAlloc();
  alloc.desired_status = DesiredStatus::kStop;
  fixture_.Make();
  AllocRunnerRequest request;
  request.alloc = std::make_shared<const Allocation>(alloc);
  request.restored = fixture_.records.tasks;
  auto made =
      LocalAllocRunner::Create(std::make_shared<const LocalAllocEnv>(fixture_.env), request);
  const std::unique_ptr<LocalAllocRunner> runner = std::move(made).value();
  runner->Start();
  EXPECT_TRUE(fixture_.loop.RunUntil([&runner] { return runner->ended(); }, 1h));
  EXPECT_EQ(hook_.calls, (Types{"prekill", "postrun"}));
  const TaskStateRecord& main = *runner->snapshot()->tasks.at("main");
  Types events;
  for (const TaskEvent& event : main.events) events.push_back(event.type);
  EXPECT_EQ(events, (Types{"Received", "Task Setup", "Started", "Terminated"}));
  EXPECT_EQ(fixture_.driver.Count("start stop"), 1);
  EXPECT_TRUE(fixture_.Wait(runner->Destroy()).ok());
}

TEST_F(LocalAllocRunnerTest, UsageIsTheSumOfTheRunningTasks) {
  fixture_.driver.On("init").run_for = 1s;
  fixture_.AddTask("a");
  fixture_.AddTask("b");
  fixture_.AddTask("init", "init");
  fixture_.Start();
  fixture_.loop.Advance(5s);
  AllocUsage all;
  AllocUsage one;
  AllocUsage unknown;
  auto ask = [](AllocFixture* fixture, std::string task, AllocUsage* out) -> Co<void> {
    Context context(&fixture->loop);
    const Context limited = context.WithTimeout(5s);
    *out = co_await fixture->runner().Usage(limited, std::move(task), UsageDetail::kProcesses);
  };
  EXPECT_TRUE(fixture_.loop.RunToEnd(ask(&fixture_, "", &all), 1min));
  EXPECT_TRUE(fixture_.loop.RunToEnd(ask(&fixture_, "a", &one), 1min));
  EXPECT_TRUE(fixture_.loop.RunToEnd(ask(&fixture_, "nobody", &unknown), 1min));
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
  fixture_.AddTask("main");
  fixture_.Start();
  Code code = Code::kOk;
  Code unknown = Code::kOk;
  auto exec = [](AllocFixture* fixture, std::string task, Code* out) -> Co<void> {
    ExecRequest request;
    request.command = {"true"};
    const Context context(&fixture->loop);
    const auto session =
        co_await fixture->runner().Exec(context, std::move(task), std::move(request));
    *out = session.code();
  };
  EXPECT_TRUE(fixture_.loop.RunToEnd(exec(&fixture_, "main", &code), 1min));
  EXPECT_TRUE(fixture_.loop.RunToEnd(exec(&fixture_, "nobody", &unknown), 1min));
  EXPECT_EQ(code, Code::kOk);
  EXPECT_EQ(unknown, Code::kNotFound);
}

TEST_F(LocalAllocRunnerTest, WithARealDirectoryNothingIsLeftOnTheDisk) {
  char name[] = "/tmp/drover-alloc-runner-XXXXXX";
  const std::string base = mkdtemp(name);
  fixture_.env.make_dir = [&base](const std::string& id) {
    DiskAllocDirOptions options;
    options.base = base;
    options.private_tmpfs = false;
    return std::make_unique<DiskAllocDir>(options, id);
  };
  fixture_.AddTask("main");
  fixture_.Start();
  const std::string dir = fixture_.runner().dir()->path();
  EXPECT_TRUE(std::filesystem::exists(dir + "/main/secrets"));
  fixture_.UpdateToStop();
  EXPECT_TRUE(fixture_.RunToEnd());
  EXPECT_TRUE(std::filesystem::exists(dir + "/main/local")) << "files outlive their task";
  fixture_.Destroy();
  EXPECT_TRUE(std::filesystem::is_empty(base));
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace drover
