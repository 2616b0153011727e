// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node_link/node_client.h"

#include <gtest/gtest.h>

#include "host/alloc/minimal_alloc_runner.h"
#include "host/base/live_count.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

// A link to a distant cluster: every call takes DELAY, and may be lost.
class RemoteLink : public ClusterLink {
 public:
  RemoteLink(Scheduler* scheduler, Duration delay) : scheduler_(scheduler), delay_(delay) {}

  Co<Result<Duration>> Register(Context context, NodeRecord node) override {
    ++registered;
    DROVER_CO_TRY(co_await Travel(context));
    if (lose) co_return Error(Code::kUnavailable, "the cluster cannot be reached", true);
    co_return co_await scheduler_->Register(context, std::move(node));
  }
  Co<Result<Duration>> Heartbeat(Context context, std::string node_id) override {
    DROVER_CO_TRY(co_await Travel(context));
    if (lose) co_return Error(Code::kUnavailable, "the cluster cannot be reached", true);
    if (forget_node || forgets_always) {
      forget_node = false;
      co_return Error(Code::kNotFound, "node not found");
    }
    co_return co_await scheduler_->Heartbeat(context, std::move(node_id));
  }
  Co<Result<NodeAllocs>> FetchAllocs(Context context, std::string node_id,
                                     std::uint64_t newer_than) override {
    DROVER_CO_TRY(co_await Travel(context));
    co_return co_await scheduler_->FetchAllocs(context, std::move(node_id), newer_than);
  }
  Co<Status> UpdateAllocs(Context context, std::string node_id,
                          std::vector<AllocUpdate> updates) override {
    ++batches;
    DROVER_CO_TRY(co_await Travel(context));
    if (lose) co_return Error(Code::kUnavailable, "the cluster cannot be reached", true);
    co_return co_await scheduler_->UpdateAllocs(context, std::move(node_id), std::move(updates));
  }
  Co<Status> ReportAllocs(Context context, std::string node_id,
                          std::vector<AllocUpdate> updates) override {
    ++batches;
    DROVER_CO_TRY(co_await Travel(context));
    if (lose) co_return Error(Code::kUnavailable, "the cluster cannot be reached", true);
    co_return co_await scheduler_->ReportAllocs(context, std::move(node_id), std::move(updates));
  }

  Co<Status> UpdateServices(Context context, std::string node_id,
                            std::vector<ServiceRegistration> put,
                            std::vector<std::string> gone) override {
    DROVER_CO_TRY(co_await Travel(context));
    if (lose) co_return Error(Code::kUnavailable, "the cluster cannot be reached", true);
    co_return co_await scheduler_->UpdateServices(context, std::move(node_id), std::move(put),
                                                  std::move(gone));
  }
  Co<Result<std::vector<ServiceRegistration>>> FetchServices(Context context,
                                                             std::string node_id) override {
    DROVER_CO_TRY(co_await Travel(context));
    if (lose) co_return Error(Code::kUnavailable, "the cluster cannot be reached", true);
    co_return co_await scheduler_->FetchServices(context, std::move(node_id));
  }

  bool lose = false;
  bool forget_node = false;
  bool forgets_always = false;
  int registered = 0;
  int batches = 0;

 private:
  Co<Status> Travel(Context context) {
    if (delay_ == 0s) co_return Status();
    co_return co_await Sleep(context, delay_);
  }

  Scheduler* const scheduler_;
  const Duration delay_;
};

// A runner whose directory cannot be removed the first *FAILURES times.
class StubbornRunner : public MinimalAllocRunner, public LiveCount<StubbornRunner> {
 public:
  StubbornRunner(Loop* loop, std::shared_ptr<const Allocation> alloc, int* failures)
      : MinimalAllocRunner(loop, std::move(alloc)), failures_(failures) {}
  Co<Status> Destroy() override {
    if (*failures_ > 0) {
      --*failures_;
      co_return Error(Code::kInternal, "an input/output error");
    }
    co_return co_await MinimalAllocRunner::Destroy();
  }

 private:
  int* const failures_;
};

// A runner whose tasks do not start.
class PendingRunner : public MinimalAllocRunner {
 public:
  using MinimalAllocRunner::MinimalAllocRunner;
  void Start() override {}
};

// A runner whose directory is on a disk that does not answer: only Shutdown ends its removal.
class HangingRunner : public MinimalAllocRunner {
 public:
  HangingRunner(Loop* loop, std::shared_ptr<const Allocation> alloc, int* shutdowns)
      : MinimalAllocRunner(loop, std::move(alloc)), down_(loop), shutdowns_(shutdowns) {}
  Co<Status> Destroy() override {
    Kill();
    co_await down_.Wait();
    co_return Error(Code::kCancelled, "the agent is shutting down");
  }
  Co<void> Shutdown() override {
    ++*shutdowns_;
    down_.Set();
    co_await MinimalAllocRunner::Shutdown();
  }

 private:
  Event down_;
  int* const shutdowns_;
};

class NodeClientTest : public SchedulerFixture {
 protected:
  void Start(Duration delay) {
    link_ = std::make_unique<RemoteLink>(&scheduler, delay);
    NodeRecord node;
    node.id = "node";
    node.cpu_mhz = node.memory_mb = node.disk_mb = 1'000'000'000;
    client_ = std::make_unique<NodeClient>(
        &loop, link_.get(), node,
        [this](std::shared_ptr<const Allocation> alloc) -> Result<std::unique_ptr<AllocRunner>> {
          if (refuse_) return Error(Code::kInvalidArgument, "no such thing");
          if (pending_) {
            return std::unique_ptr<AllocRunner>(new PendingRunner(&loop, std::move(alloc)));
          }
          if (hang_) {
            return std::unique_ptr<AllocRunner>(
                new HangingRunner(&loop, std::move(alloc), &shutdowns_));
          }
          return std::unique_ptr<AllocRunner>(
              new StubbornRunner(&loop, std::move(alloc), &destroy_failures_));
        });
    client_->SetRestored(restored_);
    EXPECT_TRUE(gate_.Spawn(client_->Run(running_)));
    loop.RunReady();
  }
  ~NodeClientTest() override {
    running_.Cancel();
    EXPECT_TRUE(loop.RunToEnd(gate_.Close()));
    Gate callers(&loop);
    EXPECT_TRUE(Await<Status>(client_->DestroyAll(&callers)).ok());
  }

  std::size_t Count(ClientStatus status) const {
    std::size_t count = 0;
    for (const auto& record : Allocs()) count += record->reported.status.status == status;
    return count;
  }

  std::set<std::string> restored_;
  bool refuse_ = false;
  bool hang_ = false;
  bool pending_ = false;
  int shutdowns_ = 0;
  int destroy_failures_ = 0;
  Context running_{&loop};
  Gate gate_{&loop};
  std::unique_ptr<RemoteLink> link_;
  std::unique_ptr<NodeClient> client_;
};

TEST_F(NodeClientTest, TenThousandAllocationsGoThroughASlowSeam) {
  Start(300ms);
  loop.Advance(5s);
  MustRegister(Registration("many", 10'000, 1));
  ASSERT_TRUE(loop.RunUntil([&] { return Count(ClientStatus::kRunning) == 10'000; }, 60s));
  EXPECT_EQ(client_->runners(), 10'000u);
  EXPECT_LT(link_->batches, 20) << "they were gathered";
  ASSERT_TRUE(scheduler.Deregister({"default", "many"}, false, false).ok());
  ASSERT_TRUE(loop.RunUntil([&] { return Count(ClientStatus::kComplete) == 10'000; }, 60s));
  EXPECT_EQ(client_->runners(), 10'000u) << "what has ended stays until it is collected";
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  EXPECT_TRUE(loop.RunUntil([&] { return client_->runners() == 0; }, 60s));
}

TEST_F(NodeClientTest, AFewStartAtATimeAndHangingOnesHoldUpNoOthers) {
  pending_ = true;
  Start(0s);
  loop.Advance(5s);
  const std::size_t most = PacedQueue::kMost;
  MustRegister(Registration("web", static_cast<int>(2 * most + 1), 1));
  loop.RunReady();
  EXPECT_EQ(client_->runners(), most);
  const std::string waiting = [this] {
    for (const auto& record : Allocs()) {
      if (client_->Find(record->id()) == nullptr) return record->id();
    }
    return std::string();
  }();
  ASSERT_TRUE(scheduler.StopAlloc(waiting, false).ok());
  loop.RunReady();
  EXPECT_EQ(Count(ClientStatus::kComplete), 1u) << "one that waits is stopped at once";
  EXPECT_EQ(client_->runners(), most);
  loop.Advance(PacedQueue::kPatience);
  EXPECT_EQ(client_->runners(), 2 * most + 1) << "another one replaces the stopped one";
}

TEST_F(NodeClientTest, WhatAnEarlierAgentHasBegunStartsAtOnce) {
  pending_ = true;
  Start(10s);
  loop.Advance(25s);  // the node is ready, and has not fetched anything yet
  const std::size_t many = 3 * PacedQueue::kMost;
  MustRegister(Registration("web", static_cast<int>(many), 1));
  for (const auto& record : Allocs()) restored_.insert(record->id());
  client_->SetRestored(restored_);
  ASSERT_TRUE(loop.RunUntil([&] { return client_->runners() > 0; }, 60s));
  EXPECT_EQ(client_->runners(), many);
}

TEST_F(NodeClientTest, WhatWaitsToBeRemovedKeepsNoAgentFromItsEnd) {
  hang_ = true;
  Start(0s);
  loop.Advance(5s);
  const int many = static_cast<int>(3 * PacedQueue::kMost);
  MustRegister(Registration("web", many, 1));
  loop.RunReady();
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  loop.Advance(5s);
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  loop.RunReady();
  EXPECT_EQ(client_->runners(), 0u);
  running_.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate_.Close(), 1min));
  EXPECT_EQ(shutdowns_, many);
}

TEST_F(NodeClientTest, WhatCannotBeClearedAwayIsTriedAgain) {
  Start(0s);
  loop.Advance(5s);
  MustRegister(Registration("web", 1));
  loop.RunReady();
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  loop.Advance(5s);
  destroy_failures_ = 3;
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  loop.RunReady();
  EXPECT_EQ(client_->runners(), 0u);
  EXPECT_EQ(destroy_failures_, 2);
  loop.Advance(1s);
  EXPECT_EQ(destroy_failures_, 1);
  loop.Advance(2s);
  EXPECT_EQ(destroy_failures_, 0);
  EXPECT_GT(StubbornRunner::live(), 0);
  loop.Advance(4s);
  EXPECT_EQ(StubbornRunner::live(), 0);
}

TEST_F(NodeClientTest, ItReportsOnceThatTheRestoredHaveTheirRunners) {
  restored_ = {"a", "b", "c"};
  Start(300ms);
  std::vector<int> reports;
  client_->SetRestoreDone([&reports](int count) { reports.push_back(count); });
  EXPECT_TRUE(reports.empty()) << "they have no runners yet";
  loop.Advance(1h);
  EXPECT_EQ(reports, std::vector<int>{3});
}

TEST_F(NodeClientTest, ARemovalThatHangsKeepsNoAgentFromItsEnd) {
  hang_ = true;
  Start(0s);
  loop.Advance(5s);
  MustRegister(Registration("web", 1));
  loop.RunReady();
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  loop.Advance(5s);
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  loop.Advance(1h);
  EXPECT_EQ(client_->runners(), 0u);
  EXPECT_EQ(shutdowns_, 0) << "it may take as long as it likes until then";
  running_.Cancel();
  loop.Advance(1s);
  EXPECT_EQ(shutdowns_, 0) << "most removals are over soon";
  EXPECT_TRUE(loop.RunToEnd(gate_.Close(), 1min));
  EXPECT_EQ(shutdowns_, 1);
}

TEST_F(NodeClientTest, TheEmbeddedSchedulerHearsAtOnce) {
  Start(0s);
  loop.Advance(5s);
  MustRegister(Registration("web", 1));
  loop.RunReady();
  EXPECT_EQ(Count(ClientStatus::kRunning), 1u) << "no time has passed";
}

// A call of a runner that ends only with its tasks.
Co<void> WaitForEnd(AllocRunner* runner, bool* ended) {
  co_await runner->WaitEnded();
  *ended = true;
}

TEST_F(NodeClientTest, WhoIsInsideARunnerIsWaitedForWhenItsTasksHaveBeenEnded) {
  Start(0s);
  loop.Advance(5s);
  MustRegister(Registration("web", 1));
  loop.RunReady();
  const std::string id = Live().at(0)->id();
  ASSERT_NE(client_->Find(id), nullptr);
  Gate callers(&loop);
  bool ended = false;
  callers.Spawn(WaitForEnd(client_->Find(id), &ended));
  running_.Cancel();
  EXPECT_TRUE(Await<Status>(client_->DestroyAll(&callers)).ok());
  EXPECT_TRUE(ended);
  EXPECT_TRUE(callers.closed());
  EXPECT_EQ(client_->Find(id), nullptr);
}

TEST_F(NodeClientTest, ANodeThatIsForgottenRegistersAgain) {
  Start(10ms);
  loop.Advance(5s);
  EXPECT_EQ(link_->registered, 1);
  link_->forget_node = true;
  loop.Advance(15s);
  EXPECT_EQ(link_->registered, 2);
  client_->NodeChanged([] {
    NodeRecord node;
    node.id = "node";
    node.attributes["driver.exec"] = "1";
    return node;
  }());
  loop.Advance(1s);
  EXPECT_EQ(link_->registered, 3) << "its drivers have changed";
  store.Read([](const Tables& tables) {
    EXPECT_EQ(tables.nodes.at("node")->attributes.count("driver.exec"), 1u);
    EXPECT_EQ(tables.nodes.at("node")->status, "ready");
  });
}

TEST_F(NodeClientTest, AServerThatForgetsTheNodeEachTimeIsNotAskedWithoutAPause) {
  Start(10ms);
  loop.Advance(5s);
  link_->forgets_always = true;
  const int before = link_->registered;
  loop.Advance(2min);
  EXPECT_GT(link_->registered, before + 1) << "it goes on";
  EXPECT_LT(link_->registered, before + 12);
  link_->forgets_always = false;
  loop.Advance(1min);
  store.Read([](const Tables& tables) { EXPECT_EQ(tables.nodes.at("node")->status, "ready"); });
}

TEST_F(NodeClientTest, ALostClusterCostsNoTaskAndHearsEverythingLater) {
  Start(10ms);
  loop.Advance(5s);
  MustRegister(Registration("web", 3, 1));
  loop.Advance(1s);
  link_->lose = true;
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  loop.Advance(60s);
  EXPECT_EQ(Count(ClientStatus::kRunning), 3u) << "nobody could count";
  link_->lose = false;
  loop.Advance(60s);
  EXPECT_EQ(Count(ClientStatus::kComplete), 3u);
}

TEST_F(NodeClientTest, AnAllocationThatCannotRunIsReportedAsFailed) {
  refuse_ = true;
  Start(0s);
  loop.Advance(5s);
  MustRegister(Registration("web", 1));
  loop.RunReady();
  ASSERT_EQ(Count(ClientStatus::kFailed), 1u);
  EXPECT_EQ(Allocs()[0]->reported.status.description, "no such thing");
  EXPECT_EQ(client_->Find(Allocs()[0]->id()), nullptr);
}

TEST_F(NodeClientTest, WhatCannotRunAndIsGoneLeavesNothingBehind) {
  refuse_ = true;
  Start(0s);
  MustRegister(Registration("web", 3));
  loop.Advance(1s);
  ASSERT_EQ(Count(ClientStatus::kFailed), 3u);
  EXPECT_EQ(client_->reported(), 3u);
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, true).ok());
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  loop.Advance(1s);
  EXPECT_EQ(client_->reported(), 0u);
}

TEST_F(NodeClientTest, WhatIsStoppedBeforeTheNodeHearsOfItEnds) {
  Start(0s);
  loop.Advance(5s);
  MustRegister(Registration("web", 2));
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  loop.Advance(1s);
  EXPECT_EQ(Count(ClientStatus::kComplete), 2u);
  EXPECT_EQ(ports.taken(), 0u);
  EXPECT_EQ(client_->runners(), 0u);
}

TEST_F(NodeClientTest, AShutdownLeavesTheTasks) {
  Start(0s);
  loop.Advance(5s);
  MustRegister(Registration("web", 2));
  loop.RunReady();
  running_.Cancel();
  ASSERT_TRUE(loop.RunToEnd(gate_.Close()));
  Gate callers(&loop);
  ASSERT_TRUE(loop.RunToEnd(client_->ShutdownAll(&callers)));
  EXPECT_EQ(client_->runners(), 0u);
  EXPECT_EQ(Count(ClientStatus::kRunning), 2u);
}

}  // namespace
}  // namespace drover
