// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/garbage_loop.h"

#include "host/base/gate.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

class GarbageLoopTest : public SchedulerFixture {
 protected:
  GarbageLoopTest() {
    config_.client.gc.interval = 60s;
    config_.server.job_gc_threshold = std::chrono::hours(4);
    config_.client.gc.max_allocs = 6;
    config_.client.gc.disk_usage_threshold = 80;
    EXPECT_TRUE(running_.Spawn(CollectGarbageForever(
        stop_, &config_, &scheduler, &store, [this]() -> Co<double> { co_return disk_used_; })));
  }
  ~GarbageLoopTest() override {
    stop_.Cancel();
    EXPECT_TRUE(loop.RunToEnd(running_.Close()));
  }

  // Runs an allocation that ends at once, then waits one second.
  void RunOne(const std::string& job) {
    JobRegistration registration = Registration(job, 1);
    auto batch = std::make_shared<Job>(*registration.job);
    batch->type = JobType::kBatch;
    registration.job = std::move(batch);
    MustRegister(std::move(registration));
    for (const auto& record : Live()) Report(record->id(), ClientStatus::kComplete);
    loop.Advance(1s);
  }

  AgentConfig config_;
  double disk_used_ = 10;
  Context stop_{&loop};
  Gate running_{&loop};
};

TEST_F(GarbageLoopTest, TheOldestBeyondTheNumberGo) {
  MakeNodeReady();
  for (int i = 0; i < 8; ++i) RunOne("j" + std::to_string(i));
  loop.Advance(60s);
  EXPECT_EQ(Allocs().size(), 6u);
  EXPECT_EQ(JobOf("j0"), nullptr) << "nothing of it is left";
  EXPECT_EQ(JobOf("j1"), nullptr);
  EXPECT_NE(JobOf("j2"), nullptr);
}

TEST_F(GarbageLoopTest, WhatIsOldGoes) {
  MakeNodeReady();
  RunOne("old");
  loop.Advance(std::chrono::hours(3));
  RunOne("young");
  loop.Advance(std::chrono::minutes(59));
  EXPECT_EQ(Allocs().size(), 2u) << "none is four hours old";
  loop.Advance(std::chrono::minutes(2));
  ASSERT_EQ(Allocs().size(), 1u);
  EXPECT_EQ(Allocs()[0]->alloc->job->id, "young");
}

TEST_F(GarbageLoopTest, WhileTheDiskIsFullTheOlderHalfGoesEachTime) {
  MakeNodeReady();
  for (int i = 0; i < 5; ++i) RunOne("j" + std::to_string(i));
  disk_used_ = 81;
  loop.Advance(60s);
  EXPECT_EQ(Allocs().size(), 2u);
  EXPECT_NE(JobOf("j4"), nullptr);
  loop.Advance(6s);
  EXPECT_EQ(Allocs().size(), 1u);
  disk_used_ = 80;
  loop.Advance(60s);
  EXPECT_EQ(Allocs().size(), 1u) << "there is room again";
  disk_used_ = 100;
  loop.Advance(60s);
  EXPECT_TRUE(Allocs().empty());
}

TEST_F(GarbageLoopTest, WhatRunsIsNeverCollected) {
  MakeNodeReady();
  MustRegister(Registration("web", 3));
  disk_used_ = 100;
  loop.Advance(std::chrono::hours(10));
  EXPECT_EQ(Live().size(), 3u);
}

}  // namespace
}  // namespace drover
