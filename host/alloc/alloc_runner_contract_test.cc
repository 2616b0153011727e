// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The contract that every AllocRunner keeps, whatever runs its tasks.
#include <gtest/gtest.h>

#include "host/alloc/alloc_fixture.h"
#include "host/alloc/minimal_alloc_runner.h"

namespace drover {
namespace {

struct LocalMaker {
  static std::unique_ptr<AllocRunner> Make(AllocFixture* fixture,
                                           std::shared_ptr<const Allocation> alloc) {
    LocalAllocRunnerFactory factory(fixture->env);
    AllocRunnerRequest request;
    request.alloc = std::move(alloc);
    return factory.Make(std::move(request)).value();
  }
};

struct MinimalMaker {
  static std::unique_ptr<AllocRunner> Make(AllocFixture* fixture,
                                           std::shared_ptr<const Allocation> alloc) {
    return std::make_unique<MinimalAllocRunner>(&fixture->loop, std::move(alloc));
  }
};

class NotingObserver : public AllocObserver {
 public:
  void OnAllocState(const AllocSnapshot& state) override { seen.push_back(state); }
  std::vector<AllocSnapshot> seen;
};

// At its end the fixture checks that nothing is left of the runner.
template <typename Maker>
class AllocRunnerContractTest : public testing::Test {
 protected:
  AllocRunnerContractTest() {
    fixture_.AddTask("web");
    fixture_.AddTask("db");
    alloc_ = std::make_shared<Allocation>();
    alloc_->id = "5a1b8c2e-0000-4000-8000-000000000001";
    alloc_->job = std::make_shared<const Job>(fixture_.job());
    alloc_->group_name = "group";
    alloc_->alloc_modify_index = 5;
    runner_ = Maker::Make(&fixture_, alloc_);
  }

  void Start() {
    runner_->Start();
    fixture_.loop.RunReady();
  }
  void Update(std::uint64_t index, DesiredStatus desired = DesiredStatus::kRun) {
    auto alloc = std::make_shared<Allocation>(*alloc_);
    alloc->alloc_modify_index = index;
    alloc->desired_status = desired;
    runner_->Update(alloc);
    fixture_.loop.RunReady();
  }
  std::uint64_t Index() const { return runner_->snapshot()->alloc->alloc_modify_index; }
  RunnerState StateOf(const std::string& task) const {
    return runner_->snapshot()->tasks.at(task)->state;
  }
  std::uint64_t Restarts(const std::string& task) const {
    return runner_->snapshot()->tasks.at(task)->restarts;
  }
  ClientStatus StatusOf() const { return runner_->snapshot()->status.status; }
  void ExpectError(Co<Status> call, Code code, const std::string& text) {
    const Status status = fixture_.Wait(std::move(call));
    ASSERT_FALSE(status.ok()) << "expected: " << text;
    EXPECT_EQ(status.code(), code);
    EXPECT_EQ(status.error().message(), text);
  }
  void Shutdown() {
    bool done = false;
    auto run = [](AllocRunner* runner, bool* out) -> Co<void> {
      co_await runner->Shutdown();
      *out = true;
    };
    EXPECT_TRUE(fixture_.loop.RunToEnd(run(runner_.get(), &done), 1min));
    EXPECT_TRUE(done);
  }

  AllocFixture fixture_;
  std::shared_ptr<Allocation> alloc_;
  std::unique_ptr<AllocRunner> runner_;
};

using Makers = testing::Types<LocalMaker, MinimalMaker>;
TYPED_TEST_SUITE(AllocRunnerContractTest, Makers);

TYPED_TEST(AllocRunnerContractTest, BeforeStartAllIsPending) {
  EXPECT_EQ(this->runner_->id(), this->alloc_->id);
  EXPECT_EQ(this->StatusOf(), ClientStatus::kPending);
  EXPECT_EQ(this->StateOf("web"), RunnerState::kPending);
  EXPECT_FALSE(this->runner_->ended());
}

TYPED_TEST(AllocRunnerContractTest, ARunnerThatNeverStartedMayBeDestroyed) {
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, ARunnerThatNeverStartedMayBeShutDown) {
  this->Shutdown();
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, StartRunsAllTasks) {
  this->Start();
  EXPECT_EQ(this->StatusOf(), ClientStatus::kRunning);
  EXPECT_EQ(this->StateOf("web"), RunnerState::kRunning);
  EXPECT_EQ(this->StateOf("db"), RunnerState::kRunning);
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, AStopEndsAllTasks) {
  this->Start();
  this->Update(6, DesiredStatus::kStop);
  EXPECT_TRUE(this->fixture_.loop.RunUntil([this] { return this->runner_->ended(); }, 1min));
  EXPECT_EQ(this->StatusOf(), ClientStatus::kComplete);
  EXPECT_EQ(this->StateOf("web"), RunnerState::kDead);
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, WaitEndedReturnsForEverybodyWhoWaits) {
  int ended = 0;
  auto wait = [](AllocRunner* runner, int* out) -> Co<void> {
    co_await runner->WaitEnded();
    ++*out;
  };
  this->Start();
  for (int i = 0; i < 2; ++i) this->fixture_.loop.Spawn(wait(this->runner_.get(), &ended));
  this->fixture_.loop.RunReady();
  EXPECT_EQ(ended, 0);
  this->Update(6, DesiredStatus::kStop);
  this->fixture_.loop.Advance(1min);
  EXPECT_EQ(ended, 2);
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, OlderUpdatesAreDropped) {
  this->Start();
  this->Update(9);
  EXPECT_EQ(this->Index(), 9u);
  this->Update(7, DesiredStatus::kStop);
  EXPECT_EQ(this->Index(), 9u);
  EXPECT_EQ(this->StateOf("web"), RunnerState::kRunning);
  this->Update(9);
  EXPECT_EQ(this->Index(), 9u);
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, AfterTheEndUpdatesAreDropped) {
  this->Start();
  this->Update(6, DesiredStatus::kStop);
  this->fixture_.loop.Advance(1min);
  this->Update(7);
  EXPECT_EQ(this->Index(), 6u);
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, KillEndsTheTasksAndMayBeRepeated) {
  this->runner_->Kill();
  EXPECT_FALSE(this->runner_->ended()) << "it was not started";
  this->Start();
  this->runner_->Kill();
  this->runner_->Kill();
  EXPECT_TRUE(this->fixture_.loop.RunUntil([this] { return this->runner_->ended(); }, 1min));
  EXPECT_EQ(this->StateOf("web"), RunnerState::kDead);
  EXPECT_EQ(this->StatusOf(), ClientStatus::kComplete);
  this->runner_->Kill();
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, DestroyEndsTheTasksAndMayBeRepeated) {
  this->Start();
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
  EXPECT_TRUE(this->runner_->ended());
  EXPECT_EQ(this->StateOf("db"), RunnerState::kDead);
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, ShutdownLeavesTheTasksAsTheyAre) {
  this->Start();
  this->Shutdown();
  EXPECT_TRUE(this->runner_->ended());
  EXPECT_EQ(this->StateOf("web"), RunnerState::kRunning);
  EXPECT_EQ(this->StatusOf(), ClientStatus::kRunning);
}

TYPED_TEST(AllocRunnerContractTest, SnapshotsStayAsTheyAreAndObserversSeeTheLast) {
  NotingObserver observer;
  this->runner_->AddObserver(&observer);
  const AllocSnapshot before = this->runner_->snapshot();
  this->Start();
  EXPECT_EQ(before->status.status, ClientStatus::kPending);
  EXPECT_EQ(before->tasks.at("web")->state, RunnerState::kPending);
  ASSERT_FALSE(observer.seen.empty());
  EXPECT_EQ(observer.seen.back(), this->runner_->snapshot());
  this->runner_->RemoveObserver(&observer);
  const std::size_t calls = observer.seen.size();
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
  EXPECT_EQ(observer.seen.size(), calls);
}

TYPED_TEST(AllocRunnerContractTest, Restarts) {
  this->Start();
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->RestartTask("web")).ok());
  this->fixture_.loop.Advance(1s);
  EXPECT_EQ(this->Restarts("web"), 1u);
  EXPECT_EQ(this->Restarts("db"), 0u);
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->RestartRunning()).ok());
  this->fixture_.loop.Advance(1s);
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->RestartAll()).ok());
  this->fixture_.loop.Advance(1s);
  EXPECT_EQ(this->Restarts("db"), 2u);
  EXPECT_EQ(this->StateOf("web"), RunnerState::kRunning);
  this->ExpectError(this->runner_->RestartTask("nobody"), Code::kNotFound,
                    "Could not find task runner for task: nobody");
  this->Update(6, DesiredStatus::kStop);
  this->fixture_.loop.Advance(1min);
  const std::string error = "restart of an alloc that should not run";
  this->ExpectError(this->runner_->RestartTask("web"), Code::kFailedPrecondition, error);
  this->ExpectError(this->runner_->RestartRunning(), Code::kFailedPrecondition, error);
  this->ExpectError(this->runner_->RestartAll(), Code::kFailedPrecondition, error);
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

TYPED_TEST(AllocRunnerContractTest, RequestsForTasksThatAreNotThere) {
  this->ExpectError(this->runner_->RestartTask("web"), Code::kFailedPrecondition,
                    "Task not running");
  this->ExpectError(this->runner_->Signal("web", "SIGHUP"), Code::kFailedPrecondition,
                    "Task not running");
  this->Start();
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Signal("web", "SIGHUP")).ok());
  this->ExpectError(this->runner_->Signal("nobody", "SIGHUP"), Code::kNotFound, "Task not found");
  Code code = Code::kOk;
  AllocUsage usage;
  auto ask = [](AllocFixture* fixture, AllocRunner* runner, Code* out,
                AllocUsage* sum) -> Co<void> {
    const Context context(&fixture->loop);
    ExecRequest request;
    const auto session = co_await runner->Exec(context, "nobody", std::move(request));
    *out = session.code();
    *sum = co_await runner->Usage(context, "nobody", UsageDetail::kTotals);
  };
  EXPECT_TRUE(
      this->fixture_.loop.RunToEnd(ask(&this->fixture_, this->runner_.get(), &code, &usage)));
  EXPECT_EQ(code, Code::kNotFound);
  EXPECT_TRUE(usage.tasks.empty());
  EXPECT_TRUE(this->fixture_.Wait(this->runner_->Destroy()).ok());
}

}  // namespace
}  // namespace drover
