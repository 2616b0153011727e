// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/job_restarter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/alloc/minimal_alloc_runner.h"
#include "host/job_restart/restart_plan.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

// Notes what it is asked for, and answers when the test says so.
class NotedRunner : public MinimalAllocRunner {
 public:
  NotedRunner(Loop* loop, std::shared_ptr<const Allocation> alloc, std::vector<std::string>* notes)
      : MinimalAllocRunner(loop, std::move(alloc)), go(loop), notes_(notes) {
    go.Set();
  }

  Co<Status> RestartTask(std::string task) override { return Noted(this, "task " + task); }
  Co<Status> RestartRunning() override { return Noted(this, "running"); }
  Co<Status> RestartAll() override { return Noted(this, "all"); }

  Event go;
  Status result;

 private:
  static Co<Status> Noted(NotedRunner* self, std::string what) {
    self->notes_->push_back(self->id() + " " + what);
    co_await self->go.Wait();
    co_return self->result;
  }

  std::vector<std::string>* const notes_;
};

class JobRestarterTest : public SchedulerFixture {
 protected:
  JobRestarterTest() {
    MakeNodeReady();
    JobRegistration registration = Registration("web", 3);
    auto job = std::make_shared<Job>(*registration.job);
    job->groups[0].rollout.max_parallel = 0;
    registration.job = std::move(job);
    MustRegister(std::move(registration));
    for (const auto& record : Live()) Report(record->id(), ClientStatus::kRunning);
    store.Read([this](const Tables& tables) {
      for (const auto& record : tables.AllocsOf({"default", "web"})) {
        runners_[record->id()] = std::make_unique<NotedRunner>(&loop, record->alloc, &notes_);
        ids_.push_back(record->id());
      }
    });
    Begin();
  }
  ~JobRestarterTest() override { End(); }

  // Begins an agent, and ends it.
  void Begin() {
    stop_.emplace(&loop);
    gate_.emplace(&loop);
    JobRestarterOptions options;
    options.loop = &loop;
    options.store = &store;
    options.scheduler = &scheduler;
    options.gate = &*gate_;
    options.find_runner = [this](const std::string& id) -> AllocRunner* {
      const auto found = runners_.find(id);
      return found == runners_.end() ? nullptr : found->second.get();
    };
    restarter_.emplace(std::move(options));
  }
  void End() {
    if (!restarter_) return;
    stop_->Cancel();
    for (auto& [id, runner] : runners_) runner->go.Set();
    EXPECT_TRUE(loop.RunToEnd(gate_->Close()));
    restarter_.reset();
    gate_.reset();
  }

  // Makes a restart as BODY says, and begins it.
  void Restart(const json& body) {
    store.Read([&](const Tables& tables) {
      const JobKey key("default", "web");
      made_ =
          MakeRestart(ReadRestartRequest(body).value(), *tables.jobs.at(key), tables.AllocsOf(key))
              .value();
    });
    made_.id = "r";
    EXPECT_TRUE(scheduler.PutRestart(made_).ok());
    CarryOut();
  }
  void CarryOut() {
    restarter_->CarryOut(*stop_, "r");
    loop.RunReady();
  }
  JobRestart Now() const {
    JobRestart restart;
    store.Read([&](const Tables& tables) { restart = *tables.restarts.at("r"); });
    return restart;
  }
  std::string Said() const { return Now().status + ": " + Now().status_description; }
  void Pass(Duration duration) {
    loop.Advance(duration);
    loop.RunReady();
  }

  std::map<std::string, std::unique_ptr<NotedRunner>> runners_;
  std::vector<std::string> ids_;  // in the order of placement
  std::vector<std::string> notes_;
  JobRestart made_;
  std::optional<Context> stop_;
  std::optional<Gate> gate_;
  std::optional<JobRestarter> restarter_;
};

TEST_F(JobRestarterTest, BatchesComeOneAfterTheOther) {
  for (auto& [id, runner] : runners_) runner->go.Reset();
  Restart({{"BatchSize", 2}});
  EXPECT_THAT(notes_, ElementsAre(ids_[0] + " running", ids_[1] + " running"));
  EXPECT_EQ(Now().begun, 2u) << "the record says so before a task is touched";
  EXPECT_EQ(Now().done, 0u);
  runners_[ids_[0]]->go.Set();
  loop.RunReady();
  EXPECT_THAT(notes_, SizeIs(2)) << "the batch is not done";
  runners_[ids_[1]]->go.Set();
  loop.RunReady();
  EXPECT_THAT(notes_, SizeIs(3));
  EXPECT_EQ(Now().done, 2u);
  EXPECT_EQ(Now().status, "running");
  runners_[ids_[2]]->go.Set();
  loop.RunReady();
  EXPECT_EQ(Said(), "complete: Job restart finished");
  EXPECT_EQ(Now().done, 3u);
  EXPECT_THAT(Now().errors, IsEmpty());
}

TEST_F(JobRestarterTest, ThePauseIsBetweenBatchesAndNotBehindTheLast) {
  Restart({{"BatchSize", 2}, {"BatchWait", "10s"}});
  EXPECT_THAT(notes_, SizeIs(2));
  EXPECT_EQ(Now().next_batch, loop.Wall() + Duration(10s).count());
  Pass(9s);
  EXPECT_THAT(notes_, SizeIs(2));
  Pass(1s);
  EXPECT_THAT(notes_, SizeIs(3));
  EXPECT_EQ(Said(), "complete: Job restart finished");
}

TEST_F(JobRestarterTest, AClockThatIsPutBackDelaysNothing) {
  Restart({{"BatchWait", "10s"}});
  loop.Jump(-std::chrono::hours(5));
  End();
  Begin();
  CarryOut();
  Pass(10s);
  EXPECT_THAT(notes_, SizeIs(2));
}

TEST_F(JobRestarterTest, TasksAreRestartedByTheirNames) {
  Restart({{"Tasks", json::array({"t"})}, {"BatchSize", "100%"}});
  EXPECT_THAT(notes_, ElementsAre(ids_[0] + " task t", ids_[1] + " task t", ids_[2] + " task t"));
  notes_.clear();
  Restart({{"AllTasks", true}, {"BatchSize", 3}});
  EXPECT_THAT(notes_, ElementsAre(ids_[0] + " all", ids_[1] + " all", ids_[2] + " all"));
}

TEST_F(JobRestarterTest, AnErrorEndsItUnlessErrorsAreIgnored) {
  runners_[ids_[1]]->result = Error(Code::kFailedPrecondition, "no task runs");
  Restart({{"Tasks", json::array({"t"})}});
  EXPECT_THAT(notes_, SizeIs(2));
  EXPECT_EQ(Said(), "failed: Stopping job restart due to error");
  EXPECT_THAT(Now().errors,
              ElementsAre(Pair(ids_[1], "Failed to restart task \"t\": no task runs")));
  EXPECT_EQ(Now().done, 2u);
  notes_.clear();
  Restart({{"OnError", "ignore"}});
  EXPECT_THAT(notes_, SizeIs(3));
  EXPECT_EQ(Said(), "complete: Job restart finished with errors of 1 allocation");
  EXPECT_THAT(Now().errors, ElementsAre(Pair(ids_[1], "no task runs")));
}

TEST_F(JobRestarterTest, TheNextAgentGoesOnWithTheBatchThatWasBegun) {
  for (auto& [id, runner] : runners_) runner->go.Reset();
  runners_[ids_[0]]->go.Set();
  Restart(json::object());
  EXPECT_THAT(notes_, SizeIs(2));
  End();
  EXPECT_EQ(Now().status, "running");
  EXPECT_EQ(Now().done, 1u);
  EXPECT_EQ(Now().begun, 2u);
  notes_.clear();
  Begin();
  CarryOut();
  EXPECT_THAT(notes_, ElementsAre(ids_[1] + " running", ids_[2] + " running"))
      << "each is restarted at least once";
  EXPECT_EQ(Said(), "complete: Job restart finished");
}

TEST_F(JobRestarterTest, ARunnerThatIsNotThereYetIsWaitedFor) {
  auto late = std::move(runners_[ids_[0]]);
  runners_.erase(ids_[0]);
  Restart(json::object());
  Pass(1s);
  EXPECT_THAT(notes_, IsEmpty());
  runners_[ids_[0]] = std::move(late);
  Pass(1s);
  EXPECT_THAT(notes_, SizeIs(3));
  runners_.erase(ids_[0]);
  Restart(json::object());
  Pass(31s);
  EXPECT_THAT(Now().errors, ElementsAre(Pair(ids_[0], HasSubstr("Unknown allocation"))));
}

TEST_F(JobRestarterTest, WhoCancelsItEndsItBehindTheBatch) {
  Restart({{"BatchWait", "10s"}});
  JobRestart canceled = Now();
  canceled.status = "canceled";
  ASSERT_TRUE(scheduler.PutRestart(canceled).ok());
  Pass(1min);
  EXPECT_THAT(notes_, SizeIs(1));
  EXPECT_EQ(Now().status, "canceled");
  EXPECT_EQ(Now().done, 1u);
}

TEST_F(JobRestarterTest, WhatIsCanceledDoesNotWaitForItsNextBatch) {
  Restart({{"BatchWait", "168h"}});
  EXPECT_THAT(notes_, SizeIs(1));
  EXPECT_EQ(gate_->running(), 1);
  JobRestart canceled = Now();
  canceled.status = "canceled";
  ASSERT_TRUE(scheduler.PutRestart(canceled).ok());
  loop.RunReady();
  EXPECT_EQ(gate_->running(), 0);
}

TEST_F(JobRestarterTest, AJobThatStopsOrIsPurgedEndsIt) {
  Restart({{"BatchWait", "10s"}});
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  Pass(10s);
  EXPECT_THAT(notes_, SizeIs(1));
  EXPECT_EQ(Said(), "failed: the job was stopped");
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  store.Read([](const Tables& tables) { EXPECT_THAT(tables.restarts, IsEmpty()); });
  Pass(1min);
}

TEST_F(JobRestarterTest, ADeploymentEndsIt) {
  Restart({{"BatchWait", "10s"}});
  store.Write(cause::kEvaluation, [](Tables* tables, std::uint64_t index) {
    Deployment made;
    made.id = "d";
    made.job_namespace = "default";
    made.job_id = "web";
    made.create_index = index;
    made.job_create_index = tables->jobs.at({"default", "web"})->create_index;
    tables->Put(std::make_shared<const Deployment>(made));
    return MaskOf(Table::kDeployments);
  });
  Pass(10s);
  EXPECT_THAT(notes_, SizeIs(1));
  EXPECT_EQ(Said(), "failed: Deployment \"d\" is \"running\"");
}

TEST_F(JobRestarterTest, AllocationsAreReplacedOneAfterTheOther) {
  Restart({{"Reschedule", true}});
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_TRUE(Alloc(ids_[0])->alloc->server_terminal());
  EXPECT_FALSE(Alloc(ids_[1])->alloc->server_terminal());
  const std::string next = Alloc(ids_[0])->next;
  ASSERT_FALSE(next.empty());
  Report(ids_[0], ClientStatus::kComplete);
  Pass(1s);
  EXPECT_EQ(Now().done, 0u) << "the replacement does not run yet";
  Report(next, ClientStatus::kRunning);
  Pass(1s);
  EXPECT_EQ(Now().done, 1u);
  EXPECT_TRUE(Alloc(ids_[1])->alloc->server_terminal());
}

// Else one allocation after the other would stop, and none would be replaced.
TEST_F(JobRestarterTest, WithoutRoomForReplacementsTheRestStaysAlsoIfErrorsAreIgnored) {
  ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
  Restart({{"Reschedule", true}, {"OnError", "ignore"}});
  Pass(1s);
  EXPECT_EQ(Said(), "failed: Stopping job restart due to unrecoverable error");
  EXPECT_THAT(Now().errors, ElementsAre(Pair(ids_[0], HasSubstr("cannot be placed"))));
  EXPECT_FALSE(Alloc(ids_[1])->alloc->server_terminal());
  EXPECT_FALSE(Alloc(ids_[2])->alloc->server_terminal());
}

TEST_F(JobRestarterTest, TheNextAgentWaitsForAReplacementThatWasPlaced) {
  Restart({{"Reschedule", true}});
  const std::string next = Alloc(ids_[0])->next;
  End();
  Begin();
  CarryOut();
  EXPECT_EQ(Alloc(next)->next, "") << "it is not replaced once more";
  EXPECT_EQ(Now().done, 0u);
  Report(next, ClientStatus::kRunning);
  Pass(1s);
  EXPECT_EQ(Now().done, 1u);
}

TEST_F(JobRestarterTest, TheSchedulerBeginsWhatIsMadeAndWhatAnEarlierAgentLeft) {
  JobRestart left;
  left.id = "left";
  left.job_namespace = "default";
  left.job_id = "web";
  ASSERT_TRUE(scheduler.PutRestart(left).ok());
  std::vector<std::string> begun;
  SchedulerOptions options;
  options.carry_out_restart = [&begun](const std::string& id) { begun.push_back(id); };
  Scheduler next(&loop, &store, &ports, options);
  Context stop(&loop);
  Gate gate(&loop);
  gate.Spawn(next.Run(stop));
  loop.RunReady();
  EXPECT_THAT(begun, ElementsAre("left"));
  left.id = "new";
  ASSERT_TRUE(next.PutRestart(left).ok());
  loop.RunReady();
  EXPECT_THAT(begun, ElementsAre("left", "new"));
  left.status = "complete";
  ASSERT_TRUE(next.PutRestart(left).ok());
  Pass(1min);
  EXPECT_THAT(begun, SizeIs(2));
  stop.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

}  // namespace
}  // namespace drover
