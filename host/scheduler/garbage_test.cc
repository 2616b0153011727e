// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/garbage.h"

#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

class GarbageTest : public SchedulerFixture {
 protected:
  // Registers a job of COUNT allocations of which ENDED have come to their end.
  void Make(const std::string& job, int count, int ended) {
    MustRegister(Registration(job, count));
    for (const auto& record : Live()) {
      if (record->alloc->job->id == job && record->alloc->index < ended) {
        Tell(record->id(), ClientStatus::kComplete);
      }
    }
  }
  std::size_t Evals() const {
    std::size_t count = 0;
    store.Read([&](const Tables& tables) { count = tables.evals.size(); });
    return count;
  }
};

TEST_F(GarbageTest, IsWhatHasEndedAndIsNotNeeded) {
  MakeNodeReady();
  Make("live", 2, 1);
  Make("done", 1, 1);
  scheduler.CollectGarbage({});
  EXPECT_EQ(JobOf("done"), nullptr);
  EXPECT_EQ(Allocs().size(), 2u) << "what a living job has done is still told";
  EXPECT_EQ(Evals(), 1u);
}

TEST_F(GarbageTest, OfOneAllocationIsTakenWhateverItsJobDoes) {
  MakeNodeReady();
  Make("live", 2, 1);
  for (const auto& record : Allocs()) {
    const Status forgotten = scheduler.ForgetAlloc(record->id());
    if (record->terminal()) {
      EXPECT_TRUE(forgotten.ok());
    } else {
      EXPECT_EQ(forgotten.code(), Code::kFailedPrecondition);
    }
  }
  EXPECT_EQ(Allocs().size(), 1u);
  EXPECT_EQ(scheduler.ForgetAlloc("stranger").code(), Code::kNotFound);
}

TEST_F(GarbageTest, WithoutJobsOnlyAllocationsGo) {
  MakeNodeReady();
  Make("done", 2, 2);
  scheduler.CollectGarbage({.jobs = false});
  EXPECT_TRUE(Allocs().empty());
  EXPECT_NE(JobOf("done"), nullptr);
  EXPECT_EQ(Evals(), 1u);
}

TEST_F(GarbageTest, AStoppedAllocationStaysUntilItsTasksHaveEnded) {
  MakeNodeReady();
  Make("web", 1, 0);
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  scheduler.CollectGarbage({});
  ASSERT_EQ(Allocs().size(), 1u) << "it is to stop and has not";
  Tell(Allocs()[0]->id(), ClientStatus::kComplete);
  scheduler.CollectGarbage({});
  EXPECT_TRUE(Allocs().empty());
  EXPECT_EQ(JobOf("web"), nullptr);
}

TEST_F(GarbageTest, AnEvaluationThatWaitsKeepsItsJob) {
  MakeNodeReady();
  MustRegister(Registration("large", 1, 5000));
  ASSERT_TRUE(Allocs().empty());
  scheduler.CollectGarbage({});
  EXPECT_NE(JobOf("large"), nullptr);
  EXPECT_GE(Evals(), 1u);
}

}  // namespace
}  // namespace drover
