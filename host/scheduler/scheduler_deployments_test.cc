// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/base/gate.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// The deployments of these tests are made by hand: the jobs themselves have none.
class SchedulerDeploymentTest : public SchedulerFixture {
 protected:
  SchedulerDeploymentTest() { MakeNodeReady(); }

  static JobRegistration Undeployed(int count, const std::string& driver_config = "{}") {
    JobRegistration registration = Registration("web", count, 100, driver_config);
    auto job = std::make_shared<Job>(*registration.job);
    job->groups[0].rollout.max_parallel = 0;
    job->groups[0].reschedule.unlimited = true;
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
    registration.job = std::move(job);
    return registration;
  }

  static DeploymentGroup Group(int total, Duration deadline = 600s) {
    DeploymentGroup group;
    group.desired_total = total;
    group.progress_deadline = deadline;
    return group;
  }

  // Makes a deployment of the newest version of the job, with its live allocations. Returns its id.
  std::string Deploy(const DeploymentGroup& group) {
    Deployment made;
    const auto live = Live();
    store.Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t index) {
      const auto job = tables->jobs.at(JobKey("default", "web"));
      made.id = "d" + std::to_string(job->version);
      made.job_namespace = "default";
      made.job_id = "web";
      made.job_version = job->version;
      made.job_create_index = job->create_index;
      made.create_index = made.modify_index = index;
      made.groups["g"] = group;
      tables->Put(std::make_shared<const Deployment>(made));
      for (const auto& record : live) {
        auto alloc = std::make_shared<Allocation>(*record->alloc);
        alloc->deployment_id = made.id;
        alloc->canary = group.desired_canaries > 0;
        auto changed = std::make_shared<AllocRecord>(*record);
        changed->alloc = std::move(alloc);
        tables->Put(std::move(changed));
      }
      return MaskOf(Table::kDeployments) | MaskOf(Table::kAllocs) | MaskOf(Table::kWanted);
    });
    return made.id;
  }

  void ReportHealth(const std::string& id, std::optional<bool> healthy) {
    AllocUpdate update;
    update.id = id;
    update.status = {ClientStatus::kRunning, "reported by a test"};
    if (healthy) update.health = AllocHealth{*healthy, loop.Wall()};
    EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
  }

  std::shared_ptr<const Deployment> Find(const std::string& id) const {
    std::shared_ptr<const Deployment> found;
    store.Read([&](const Tables& tables) { found = Tables::Find(tables.deployments, id); });
    return found;
  }
  std::string Says(const std::string& id) const {
    const auto found = Find(id);
    return found == nullptr ? "none" : found->status + ": " + found->status_description;
  }
  // Returns what has triggered the evaluations of the job.
  std::vector<std::string> Causes() const {
    std::vector<std::string> causes;
    store.Read([&](const Tables& tables) {
      for (const auto& [id, eval] : tables.evals) causes.push_back(eval->triggered_by);
    });
    return causes;
  }
  std::string ConfigOf(const AllocRecord& record) {
    return record.alloc->job->groups[0].tasks[0].config_json;
  }
};

TEST_F(SchedulerDeploymentTest, AHealthyDeploymentMakesTheVersionStable) {
  MustRegister(Undeployed(2));
  const std::string id = Deploy(Group(2));
  const auto live = Live();
  ReportHealth(live[0]->id(), true);
  EXPECT_EQ(Find(id)->groups.at("g").healthy, 1);
  EXPECT_EQ(Says(id), "running: Deployment is running");
  EXPECT_FALSE(JobOf("web")->stable);
  ReportHealth(live[1]->id(), true);
  EXPECT_EQ(Says(id), "successful: Deployment completed successfully");
  EXPECT_TRUE(JobOf("web")->stable);
  EXPECT_EQ(JobOf("web")->status, "running");
  EXPECT_THAT(Causes(), Not(Contains("deployment-watcher"))) << "there is nothing to do";
}

TEST_F(SchedulerDeploymentTest, ADeadlineFailsItInTime) {
  MustRegister(Undeployed(1));
  const std::string id = Deploy(Group(1));
  // Another scheduler, as after a restart of the agent: it hears of the deployment by its record.
  Scheduler next(&loop, &store, &ports, {});
  Gate gate(&loop);
  Context life = context.Child();
  gate.Spawn(next.Run(life));
  loop.Advance(600s - 1ns);
  EXPECT_EQ(Says(id), "running: Deployment is running");
  loop.Advance(1ns);
  EXPECT_EQ(Says(id), "failed: Failed due to progress deadline");
  EXPECT_THAT(Causes(), Contains("deployment-watcher"));
  life.Cancel("end of the test");
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(SchedulerDeploymentTest, ADeadlineThatPassedWhileTheAgentWasAwayIsDueAtOnce) {
  MustRegister(Undeployed(1));
  DeploymentGroup group = Group(1);
  group.placed = 1;
  group.require_progress_by = loop.Wall() + 1;
  const std::string id = Deploy(group);
  loop.Jump(1h);
  Scheduler next(&loop, &store, &ports, {});
  Gate gate(&loop);
  Context life = context.Child();
  gate.Spawn(next.Run(life));
  loop.Advance(0s);
  EXPECT_EQ(Says(id), "failed: Failed due to progress deadline");
  life.Cancel("end of the test");
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(SchedulerDeploymentTest, AClockThatIsSetChangesNoDeadline) {
  MustRegister(Undeployed(1));
  const std::string id = Deploy(Group(1));
  Scheduler next(&loop, &store, &ports, {});
  Gate gate(&loop);
  Context life = context.Child();
  gate.Spawn(next.Run(life));
  loop.Advance(300s);
  loop.Jump(10h);
  loop.Advance(150s);
  loop.Jump(-20h);
  loop.Advance(150s - 1ns);
  EXPECT_EQ(Says(id), "running: Deployment is running");
  loop.Advance(1ns);
  EXPECT_EQ(Says(id), "failed: Failed due to progress deadline");
  life.Cancel("end of the test");
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(SchedulerDeploymentTest, ACanaryThatFindsNoRoomFailsItInTime) {
  const auto version = [](const std::string& driver_config) {
    return With(Undeployed(1, driver_config), [](Job* job) {
      TaskGroup& group = job->groups[0];
      group.rollout.max_parallel = group.rollout.canary = 1;
      group.networks.emplace_back().reserved_ports.push_back({"http", 8080, 0, ""});
    });
  };
  MustRegister(version(R"({"run_for": "1h"})"));
  const std::string old = Live().at(0)->id();
  ReportHealth(old, true);
  EXPECT_TRUE(JobOf("web")->stable);
  MustRegister(version(R"({"run_for": "2h"})"));
  const auto job = JobOf("web");
  std::string id;
  store.Read([&](const Tables& tables) { id = tables.DeploymentOf(*job)->id; });
  Gate gate(&loop);
  Context life = context.Child();
  gate.Spawn(scheduler.Run(life));
  for (int step = 1; step < 120; ++step) {
    loop.Advance(5s);
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  }
  EXPECT_EQ(Says(id), "running: Deployment is running but requires manual promotion");
  loop.Advance(5s);
  EXPECT_EQ(Says(id), "failed: Failed due to progress deadline");
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->id(), old);
  life.Cancel("end of the test");
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(SchedulerDeploymentTest, OfASystemJobItDoesNotWaitForANodeThatLeaves) {
  NodeRecord second;
  second.id = second.name = "n2";
  second.memory_mb = second.cpu_mhz = 1000;
  second.disk_mb = 1'000'000;
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, second)).ok());
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "n2")).ok());
  MustRegister(With(Undeployed(1), [](Job* job) {
    job->type = JobType::kSystem;
    job->groups[0].rollout.max_parallel = 1;
  }));
  const auto job = JobOf("web");
  std::shared_ptr<const Deployment> made;
  store.Read([&](const Tables& tables) { made = tables.DeploymentOf(*job); });
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->groups.at("g").desired_total, 2);
  for (const auto& record : Live()) {
    if (record->alloc->node_id == "node") ReportHealth(record->id(), true);
  }
  EXPECT_EQ(Says(made->id), "running: Deployment is running");
  ASSERT_TRUE(scheduler.Drain("n2", DrainSpec{Duration(-1), false}, false, {}).ok());
  EXPECT_EQ(Find(made->id)->groups.at("g").desired_total, 1);
  EXPECT_EQ(Find(made->id)->create_index, made->create_index);
  Gate gate(&loop);
  Context life = context.Child();
  gate.Spawn(scheduler.Run(life));
  loop.Advance(0s);
  EXPECT_EQ(Says(made->id), "successful: Deployment completed successfully");
  life.Cancel("end of the test");
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(SchedulerDeploymentTest, AFailureAndTheWayBackAreOneGroup) {
  MustRegister(Undeployed(1, R"({"run_for": "1h"})"));
  Deploy(Group(1));
  ReportHealth(Live()[0]->id(), true);
  MustRegister(Undeployed(1, R"({"run_for": "2h"})"));
  DeploymentGroup group = Group(1, 0s);
  group.auto_revert = true;
  const std::string id = Deploy(group);
  const std::string bad = Live()[0]->id();
  std::vector<std::set<std::string>> groups;
  store.SetJournal([&groups](const std::vector<StateEvent>& changes, const Tables&) {
    std::set<std::string>& of = groups.emplace_back();
    for (const StateEvent& change : changes) {
      if (change.topic() == Topic::kDeployment) of.insert("deployment");
      if (change.topic() == Topic::kJob) of.insert("job");
      if (change.topic() == Topic::kAllocation) of.insert("allocation");
      if (change.topic() == Topic::kEvaluation) of.insert("evaluation");
    }
  });
  ReportHealth(bad, false);
  EXPECT_THAT(groups, ElementsAre(ElementsAre("allocation", "deployment", "evaluation", "job")));
  EXPECT_EQ(Says(id),
            "failed: Failed due to unhealthy allocations - rolling back to job version 0");
  EXPECT_EQ(JobOf("web")->version, 2u);
  EXPECT_FALSE(JobOf("web")->stable);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->job->version, 2u);
  EXPECT_EQ(ConfigOf(*Live()[0]), R"({"run_for": "1h"})");
  EXPECT_EQ(Alloc(bad)->alloc->desired_status, DesiredStatus::kStop);
  EXPECT_EQ(Eval(Live()[0]->alloc->eval_id)->triggered_by, "deployment-watcher");
  store.SetJournal(nullptr);
}

TEST_F(SchedulerDeploymentTest, AnUnhealthyAllocationIsMarkedForItsPolicy) {
  MustRegister(Undeployed(2));
  Deploy(Group(2));
  const std::string id = Live()[0]->id();
  ReportHealth(id, false);
  EXPECT_TRUE(Alloc(id)->reschedule);
  EXPECT_THAT(Causes(), Contains("deployment-watcher"));
}

TEST_F(SchedulerDeploymentTest, RequestsChangeIt) {
  MustRegister(Undeployed(1));
  const std::string id = Deploy(Group(1));
  EXPECT_EQ(scheduler.PauseDeployment("none", true).code(), Code::kNotFound);
  const Result<DeploymentReply> paused = scheduler.PauseDeployment(id, true);
  ASSERT_TRUE(paused.ok());
  EXPECT_EQ(paused->eval_id, "");
  EXPECT_EQ(paused->deployment_modify_index, Find(id)->modify_index);
  EXPECT_EQ(paused->index, Find(id)->modify_index);
  EXPECT_EQ(Says(id), "paused: Deployment is paused");
  const Result<DeploymentReply> again = scheduler.PauseDeployment(id, true);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->deployment_modify_index, paused->deployment_modify_index);
  const Result<DeploymentReply> resumed = scheduler.PauseDeployment(id, false);
  ASSERT_TRUE(resumed.ok());
  EXPECT_EQ(Eval(resumed->eval_id)->triggered_by, "deployment-watcher");
  EXPECT_EQ(Eval(resumed->eval_id)->create_index, resumed->eval_create_index);
  EXPECT_EQ(scheduler.UnblockDeployment(id).error().message(),
            "can't unblock deployment that is not blocked");
  const Result<DeploymentReply> failed = scheduler.FailDeployment(id);
  ASSERT_TRUE(failed.ok());
  EXPECT_FALSE(failed->reverted_version);
  EXPECT_EQ(Says(id), "failed: Deployment marked as failed");
  EXPECT_EQ(scheduler.FailDeployment(id).code(), Code::kFailedPrecondition);
}

TEST_F(SchedulerDeploymentTest, APromotionReachesTheNode) {
  MustRegister(Undeployed(1));
  DeploymentGroup group = Group(1);
  group.desired_canaries = 1;
  const std::string id = Deploy(group);
  const std::string canary = Live()[0]->id();
  EXPECT_EQ(scheduler.PromoteDeployment(id, {}).error().message(),
            "Task group \"g\" has 0/1 healthy allocations");
  ReportHealth(canary, true);
  EXPECT_THAT(Find(id)->groups.at("g").placed_canaries, ElementsAre(canary));
  const Result<NodeAllocs> before =
      Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", 0));
  ASSERT_TRUE(scheduler.PromoteDeployment(id, {}).ok());
  EXPECT_TRUE(Find(id)->groups.at("g").promoted);
  const Result<NodeAllocs> after =
      Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", before->index));
  ASSERT_EQ(after->allocs.size(), 1u);
  EXPECT_FALSE(after->allocs[0]->canary);
  EXPECT_GT(after->allocs[0]->alloc_modify_index, before->index);
}

TEST_F(SchedulerDeploymentTest, AVerdictByRequestIsKept) {
  MustRegister(Undeployed(2));
  const std::string id = Deploy(Group(2));
  const std::string alloc = Live()[0]->id();
  ASSERT_TRUE(scheduler.SetDeploymentHealth(id, {alloc}, {}).ok());
  ASSERT_TRUE(Alloc(alloc)->reported.health);
  EXPECT_TRUE(Alloc(alloc)->reported.health->healthy);
  EXPECT_EQ(Find(id)->groups.at("g").healthy, 1);
}

// Otherwise it would be replaced as soon as its policy has attempts again.
TEST_F(SchedulerDeploymentTest, AVerdictByRequestTakesAReplacementBack) {
  MustRegister(With(Undeployed(1), [](Job* job) {
    job->groups[0].reschedule = {1, 1h, 5s, ReschedulePolicy::DelayFunction::kConstant, 0s, false};
  }));
  const std::string id = Deploy(Group(1));
  const std::string web = Live()[0]->id();
  ASSERT_TRUE(scheduler.PauseDeployment(id, true).ok());
  store.Write(cause::kAllocUpdate, [&](Tables* tables, std::uint64_t) {
    auto changed = std::make_shared<AllocRecord>(*tables->allocs.at(web));
    changed->reschedule = true;
    changed->reported.health = AllocHealth{false, loop.Wall()};
    tables->Put(std::move(changed));
    return MaskOf(Table::kAllocs);
  });
  ASSERT_TRUE(scheduler.SetDeploymentHealth(id, {web}, {}).ok());
  EXPECT_FALSE(Alloc(web)->reschedule);
  ASSERT_TRUE(scheduler.PauseDeployment(id, false).ok());
  EXPECT_FALSE(Alloc(web)->terminal());
}

TEST_F(SchedulerDeploymentTest, AReportWithoutAVerdictKeepsThatOfARequest) {
  MustRegister(Undeployed(2));
  const std::string id = Deploy(Group(2));
  const std::string alloc = Live()[0]->id();
  ASSERT_TRUE(scheduler.SetDeploymentHealth(id, {alloc}, {}).ok());
  ReportHealth(alloc, std::nullopt);
  EXPECT_EQ(Find(id)->groups.at("g").healthy, 1);
  ReportHealth(alloc, false);
  EXPECT_EQ(Find(id)->groups.at("g").healthy, 0) << "the node has another one";
}

TEST_F(SchedulerDeploymentTest, AVerdictForAnEarlierDeploymentDoesNotCount) {
  MustRegister(Undeployed(2));
  const std::string id = Deploy(Group(2));
  AllocUpdate late;
  late.id = Live()[0]->id();
  late.status = {ClientStatus::kRunning, ""};
  late.health = AllocHealth{true, loop.Wall()};
  late.deployment_id = "an earlier one";
  EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {late})).ok());
  EXPECT_EQ(Find(id)->groups.at("g").healthy, 0);
  late.deployment_id = id;
  EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {late})).ok());
  EXPECT_EQ(Find(id)->groups.at("g").healthy, 1);
}

TEST_F(SchedulerDeploymentTest, AStopOrANewVersionEndsIt) {
  MustRegister(Undeployed(1));
  const std::string first = Deploy(Group(1));
  MustRegister(Undeployed(1, R"({"run_for": "2h"})"));
  EXPECT_EQ(Says(first), "cancelled: Cancelled due to newer version of job");
  const std::string second = Deploy(Group(1));
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, false, false).ok());
  EXPECT_EQ(Says(second), "cancelled: Cancelled because job is stopped");
  MustRegister(Undeployed(1));
  const std::string third = Deploy(Group(1));
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  EXPECT_EQ(Says(third), "cancelled: Cancelled because job is stopped");
}

TEST_F(SchedulerDeploymentTest, ARevertIsANewVersion) {
  MustRegister(Undeployed(1, R"({"run_for": "1h"})"));
  MustRegister(Undeployed(1, R"({"run_for": "2h"})"));
  const JobKey key("default", "web");
  EXPECT_EQ(scheduler.Revert({"default", "none"}, 0, {}).code(), Code::kNotFound);
  EXPECT_EQ(scheduler.Revert(key, 1, {}).error().message(), "can't revert to current version");
  EXPECT_EQ(scheduler.Revert(key, 0, 7).error().message(),
            "Current job has version 1; enforcing version 7");
  EXPECT_EQ(scheduler.Revert(key, 5, {}).error().message(),
            "job \"web\" in namespace \"default\" at version 5 not found");
  ASSERT_TRUE(scheduler.Revert(key, 0, 1).ok());
  EXPECT_EQ(JobOf("web")->version, 2u);
  EXPECT_EQ(ConfigOf(*Live().at(0)), R"({"run_for": "1h"})");
}

TEST_F(SchedulerDeploymentTest, OldOnesThatNothingNeedsAreCollected) {
  MustRegister(Undeployed(1));
  const std::string first = Deploy(Group(1));
  MustRegister(Undeployed(1, R"({"run_for": "2h"})"));
  const std::string second = Deploy(Group(1));
  const auto collect = [this](WallTime before) {
    EXPECT_TRUE(Await<Status>(scheduler.CollectDeployments(context, before)).ok());
  };
  collect(loop.Wall());
  EXPECT_NE(Find(first), nullptr) << "it has just ended";
  loop.Advance(1s);
  collect(loop.Wall());
  EXPECT_EQ(Find(first), nullptr);
  EXPECT_NE(Find(second), nullptr) << "it is active";
  ASSERT_TRUE(scheduler.FailDeployment(second).ok());
  loop.Advance(1s);
  collect(loop.Wall());
  EXPECT_NE(Find(second), nullptr) << "the newest one of a job says what has failed";
  ASSERT_TRUE(scheduler.Deregister({"default", "web"}, true, false).ok());
  collect(loop.Wall());
  EXPECT_EQ(Find(second), nullptr);
}

}  // namespace
}  // namespace drover
