// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/in_place.h"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "host/reconcile/reconcile.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Job TwoTasks() {
  Job job;
  job.id = job.name = "job";
  TaskGroup group;
  group.name = "g";
  for (const char* name : {"a", "b"}) {
    Task task;
    task.name = name;
    task.driver = "mock_driver";
    task.meta["both"] = "task";
    group.tasks.push_back(std::move(task));
  }
  job.groups.push_back(std::move(group));
  return job;
}

struct Change {
  const char* name;
  bool in_place;
  std::function<void(Job*)> change;
};

std::function<void(Job*)> OfGroup(std::function<void(TaskGroup*)> change) {
  return [change](Job* job) { change(&job->groups[0]); };
}

std::function<void(Job*)> OfTask(std::function<void(Task*)> change) {
  return [change](Job* job) { change(&job->groups[0].tasks[1]); };
}

Network WithPort(const std::string& label) {
  Network network;
  network.dynamic_ports.emplace_back().label = label;
  return network;
}

Service WithCheck(const std::string& name) {
  Service service;
  service.name = name;
  ServiceCheck& check = service.checks.emplace_back();
  check.interval = check.timeout = 1s;
  return service;
}

constexpr bool kInPlace = true;
constexpr bool kReplaces = false;

const Change kChanges[] = {
    {"JobName", kInPlace, [](Job* job) { job->name = "other"; }},
    {"JobPriority", kInPlace, [](Job* job) { job->priority = 7; }},
    {"JobParent", kInPlace, [](Job* job) { job->parent_id = "p"; }},
    {"JobRegion", kInPlace, [](Job* job) { job->region = "eu"; }},
    {"JobDatacenters", kInPlace, [](Job* job) { job->datacenters = {"dc2"}; }},
    {"JobNodePool", kInPlace, [](Job* job) { job->node_pool = "gpu"; }},
    {"JobConstraints", kInPlace, [](Job* job) { job->constraints.emplace_back(); }},
    {"OtherGroup", kInPlace, [](Job* job) { job->groups.emplace_back().name = "h"; }},
    {"JobType", kReplaces, [](Job* job) { job->type = JobType::kBatch; }},
    {"JobMeta", kReplaces, [](Job* job) { job->meta["new"] = "1"; }},
    {"HiddenJobMeta", kInPlace, [](Job* job) { job->meta["both"] = "job"; }},
    {"GroupCount", kInPlace, OfGroup([](TaskGroup* g) { g->count = 7; })},
    {"GroupRestart", kInPlace, OfGroup([](TaskGroup* g) { g->restart_policy.attempts = 9; })},
    {"GroupShutdownDelay", kInPlace, OfGroup([](TaskGroup* g) { g->shutdown_delay = 3s; })},
    {"GroupMaxRunDuration", kInPlace, OfGroup([](TaskGroup* g) { g->max_run_duration = 1h; })},
    {"GroupMigrate", kInPlace, OfGroup([](TaskGroup* g) { g->migrate_max_parallel = 2; })},
    {"GroupUpdate", kInPlace, OfGroup([](TaskGroup* g) { g->update.min_healthy_time = 20s; })},
    {"GroupConstraints", kInPlace, OfGroup([](TaskGroup* g) { g->constraints.emplace_back(); })},
    {"HiddenGroupMeta", kInPlace, OfGroup([](TaskGroup* g) { g->meta["both"] = "group"; })},
    {"GroupServices", kInPlace, OfGroup([](TaskGroup* g) { g->services = {WithCheck("s")}; })},
    {"GroupScaling", kInPlace, OfGroup([](TaskGroup* g) { g->scaling.emplace().max = 9; })},
    {"GroupMeta", kReplaces, OfGroup([](TaskGroup* g) { g->meta["a"] = "b"; })},
    {"GroupDisk", kReplaces, OfGroup([](TaskGroup* g) { g->ephemeral_disk_mb = 301; })},
    {"GroupStickyDisk", kReplaces, OfGroup([](TaskGroup* g) { g->disk_sticky = true; })},
    {"GroupVolumes", kReplaces, OfGroup([](TaskGroup* g) { g->volumes["v"].source = "v"; })},
    {"GroupNetwork", kReplaces, OfGroup([](TaskGroup* g) { g->networks = {WithPort("p")}; })},
    {"GroupName", kReplaces, OfGroup([](TaskGroup* g) { g->name = "h"; })},
    {"TaskOrder", kInPlace, OfGroup([](TaskGroup* g) { std::swap(g->tasks[0], g->tasks[1]); })},
    {"MoreTasks", kReplaces, OfGroup([](TaskGroup* g) { g->tasks.emplace_back().name = "c"; })},
    {"FewerTasks", kReplaces, OfGroup([](TaskGroup* g) { g->tasks.pop_back(); })},
    {"TaskName", kReplaces, OfTask([](Task* t) { t->name = "c"; })},
    {"TaskRestart", kInPlace, OfTask([](Task* t) { t->restart_policy = RestartPolicy(); })},
    {"TaskKillTimeout", kInPlace, OfTask([](Task* t) { t->kill_timeout = 17s; })},
    {"TaskKillSignal", kInPlace, OfTask([](Task* t) { t->kill_signal = "SIGINT"; })},
    {"TaskShutdownDelay", kInPlace, OfTask([](Task* t) { t->shutdown_delay = 1s; })},
    {"TaskLogFiles", kInPlace, OfTask([](Task* t) { t->log_config.max_files = 3; })},
    {"TaskLogSize", kInPlace, OfTask([](Task* t) { t->log_config.max_file_size_bytes = 1 << 20; })},
    {"TaskActions", kInPlace,
     OfTask([](Task* t) { t->actions.push_back({"a", "/bin/true", {}}); })},
    {"TaskConstraints", kInPlace, OfTask([](Task* t) { t->constraints.emplace_back(); })},
    {"TaskServices", kInPlace, OfTask([](Task* t) { t->services = {WithCheck("s")}; })},
    {"TaskScaling", kInPlace, OfTask([](Task* t) { t->scaling.emplace_back().max = 9; })},
    {"TaskLogs", kReplaces, OfTask([](Task* t) { t->log_config.disabled = true; })},
    {"TaskMounts", kReplaces, OfTask([](Task* t) { t->volume_mounts.emplace_back(); })},
    {"TaskDriver", kReplaces, OfTask([](Task* t) { t->driver = "exec"; })},
    {"TaskUser", kReplaces, OfTask([](Task* t) { t->user = "nobody"; })},
    {"TaskConfig", kReplaces, OfTask([](Task* t) { t->config_json = R"({"a":1})"; })},
    {"TaskEnv", kReplaces, OfTask([](Task* t) { t->env["A"] = "1"; })},
    {"TaskMeta", kReplaces, OfTask([](Task* t) { t->meta["both"] = "2"; })},
    {"TaskCpu", kReplaces, OfTask([](Task* t) { t->resources.cpu_mhz = 1; })},
    {"TaskCores", kReplaces, OfTask([](Task* t) { t->resources.cores = 1; })},
    {"TaskMemory", kReplaces, OfTask([](Task* t) { t->resources.memory_mb = 1; })},
    {"TaskMemoryMax", kReplaces, OfTask([](Task* t) { t->resources.memory_max_mb = 900; })},
    {"TaskNetwork", kReplaces, OfTask([](Task* t) { t->networks = {WithPort("p")}; })},
    {"TaskLifecycle", kReplaces, OfTask([](Task* t) { t->lifecycle = Lifecycle(); })},
    {"TaskLeader", kReplaces, OfTask([](Task* t) { t->leader = true; })},
};

class InPlaceChangeTest : public testing::TestWithParam<Change> {};

TEST_P(InPlaceChangeTest, IsInPlaceIfNoTaskNeedsToNotice) {
  const Job from = TwoTasks();
  Job to = from;
  GetParam().change(&to);
  EXPECT_EQ(CanUpdateInPlace(from, to, "g"), GetParam().in_place);
  if (FindGroup(to, "g") != nullptr) {
    EXPECT_EQ(CanUpdateInPlace(to, from, "g"), GetParam().in_place) << "the way back";
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, InPlaceChangeTest, testing::ValuesIn(kChanges),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(InPlaceTest, EveryChangeOfAServiceIsInPlace) {
  Job from = TwoTasks();
  from.groups[0].services = {WithCheck("web")};
  const std::function<void(Service*)> changes[] = {
      [](Service* service) { service->name = "other"; },
      [](Service* service) { service->provider = ServiceProvider::kBuiltin; },
      [](Service* service) { service->port_label = "http"; },
      [](Service* service) { service->tags = {"a"}; },
      [](Service* service) { service->checks[0].interval = 2s; },
      [](Service* service) { service->checks[0].check_restart = CheckRestart{.limit = 3}; },
      [](Service* service) { service->checks.clear(); },
  };
  for (const auto& change : changes) {
    Job to = from;
    change(&to.groups[0].services[0]);
    EXPECT_NE(to, from);
    EXPECT_TRUE(CanUpdateInPlace(from, to, "g"));
    EXPECT_TRUE(CanUpdateInPlace(to, from, "g"));
  }
}

TEST(InPlaceTest, MetadataMayMoveBetweenJobGroupAndTask) {
  Job from = TwoTasks(), to = from;
  from.meta["a"] = "1";
  to.groups[0].meta["a"] = "1";
  EXPECT_TRUE(CanUpdateInPlace(from, to, "g"));
  to.groups[0].meta["a"] = "2";
  EXPECT_FALSE(CanUpdateInPlace(from, to, "g"));
}

// Jobs of the scheduler, which change.
class InPlaceUpdateTest : public SchedulerFixture {
 protected:
  InPlaceUpdateTest() {
    job_ = *Registration("web", 2).job;
    job_.groups[0].networks = {WithPort("http")};
  }

  // Registers the job again after CHANGE. Returns its evaluation.
  std::shared_ptr<const Evaluation> Register(const std::function<void(Job*)>& change) {
    change(&job_);
    return Eval(MustRegister(Current()).eval_id);
  }
  JobRegistration Current() const {
    JobRegistration registration;
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(job_, nlohmann::json::object()));
    registration.job = std::make_shared<const Job>(job_);
    return registration;
  }
  PlanReply Plan(const std::function<void(Job*)>& change) {
    const Job before = job_;
    change(&job_);
    Result<PlanReply> plan = scheduler.Plan(Current());
    job_ = before;
    EXPECT_TRUE(plan.ok());
    return plan.ok() ? *plan : PlanReply();
  }
  std::vector<std::string> Ids() const {
    std::vector<std::string> ids;
    for (const auto& record : Live()) ids.push_back(record->id());
    return ids;
  }

  Job job_;
};

void WithKillTimeout(Job* job) { job->groups[0].tasks[0].kill_timeout = 9s; }

TEST_F(InPlaceUpdateTest, TheAllocationsStayAndGetTheNewVersion) {
  MakeNodeReady();
  Register([](Job*) {});
  const auto before = Live();
  ASSERT_THAT(before, SizeIs(2));
  const PlanReply plan = Plan(WithKillTimeout);
  EXPECT_THAT(plan.plan.groups.at("g").update, SizeIs(2));
  EXPECT_THAT(plan.plan.groups.at("g").place, IsEmpty());
  const auto eval = Register(WithKillTimeout);
  EXPECT_EQ(eval->status, "complete");
  EXPECT_EQ(eval->queued, (std::map<std::string, int>{{"g", 0}}));
  ASSERT_THAT(Live(), SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    const AllocRecord& now = *Live()[i];
    const Allocation& old = *before[i]->alloc;
    EXPECT_EQ(now.id(), old.id);
    EXPECT_EQ(now.job->version, 1u);
    EXPECT_EQ(now.alloc->job->groups[0].tasks[0].kill_timeout, 9s);
    EXPECT_EQ(now.alloc->eval_id, eval->id);
    EXPECT_EQ(now.alloc->desired_description, "");
    EXPECT_EQ(now.alloc->ports, old.ports);
    EXPECT_EQ(now.alloc->create_index, old.create_index);
    EXPECT_EQ(now.alloc->create_time, old.create_time);
    EXPECT_GT(now.alloc->alloc_modify_index, old.alloc_modify_index);
    EXPECT_EQ(now.modify_index, now.alloc->alloc_modify_index);
    EXPECT_EQ(now.previous, "");
  }
  EXPECT_EQ(ports.taken(), 2u);
}

TEST_F(InPlaceUpdateTest, TheNodeHearsOfTheNewVersion) {
  MakeNodeReady();
  Register([](Job*) {});
  const auto first = Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", 0));
  Register(WithKillTimeout);
  const auto then = Await<Result<NodeAllocs>>(scheduler.FetchAllocs(context, "node", first->index));
  ASSERT_TRUE(then.ok());
  EXPECT_THAT(then->allocs, SizeIs(2));
  EXPECT_THAT(then->gone, IsEmpty());
  EXPECT_EQ(then->allocs[0]->job->groups[0].tasks[0].kill_timeout, 9s);
}

TEST_F(InPlaceUpdateTest, AnotherCountTakesTheRestAlong) {
  MakeNodeReady();
  Register([](Job*) {});
  const auto ids = Ids();
  const auto change = [](Job* job) {
    WithKillTimeout(job);
    job->groups[0].count = 1;
  };
  const PlanReply plan = Plan(change);
  EXPECT_THAT(plan.plan.groups.at("g").update, SizeIs(1));
  EXPECT_THAT(plan.plan.groups.at("g").stop, SizeIs(1));
  Register(change);
  ASSERT_THAT(Live(), SizeIs(1));
  EXPECT_THAT(ids, testing::Contains(Live()[0]->id()));
  EXPECT_EQ(Live()[0]->job->version, 1u);
}

TEST_F(InPlaceUpdateTest, WhatTheNodeDoesNotMeetAnyMoreIsReplacedOrRunsOn) {
  MakeNodeReady();
  Register([](Job*) {});
  const auto ids = Ids();
  const std::function<void(Job*)> changes[] = {
      [](Job* job) { job->datacenters = {"dc2"}; },
      [](Job* job) { job->node_pool = "gpu"; },
      [](Job* job) { job->region = "eu"; },
      [](Job* job) { job->constraints = {{"${meta.rack}", "=", "7"}}; },
      [](Job* job) { job->groups[0].constraints = {{"${meta.rack}", "=", "7"}}; },
      [](Job* job) { job->groups[0].tasks[0].constraints = {{"${meta.rack}", "=", "7"}}; },
      [](Job* job) { job->constraints = {{"", "distinct_hosts", ""}}; },
  };
  const Job first = job_;
  for (const auto& change : changes) {
    const PlanReply plan = Plan(change);
    EXPECT_THAT(plan.plan.groups.at("g").update, IsEmpty());
    EXPECT_EQ(plan.plan.groups.at("g").destructive, 2);
    // There is no other node. So the tasks run on until there is a place for the replacements.
    const auto eval = Register(change);
    EXPECT_EQ(eval->failed_groups.count("g"), 1u);
    EXPECT_EQ(Ids(), ids);
    EXPECT_EQ(Live()[0]->job->version, 0u);
    job_ = first;
  }
  const auto back = Register([](Job*) {});
  EXPECT_THAT(back->failed_groups, IsEmpty());
  EXPECT_EQ(Ids(), ids);
  EXPECT_GT(Live()[0]->job->version, 0u) << "in place again";
}

TEST_F(InPlaceUpdateTest, AConstraintThatAlsoCountsTheAllocationItselfIsMet) {
  MakeNodeReady();
  Register([](Job* job) { job->groups[0].count = 1; });
  const auto ids = Ids();
  Register([](Job* job) { job->constraints = {{"", "distinct_hosts", ""}}; });
  EXPECT_EQ(Ids(), ids);
  EXPECT_EQ(Live()[0]->job->version, 1u);
}

TEST_F(InPlaceUpdateTest, AConstraintDoesNotCountAllocationsThatStop) {
  MakeNodeReady();
  Register([](Job* job) {
    job->groups.push_back(job->groups[0]);
    job->groups[1].name = "h";
  });
  ASSERT_THAT(Live(), SizeIs(4));
  const auto ids = Ids();
  const auto change = [](Job* job) {
    job->constraints = {{"", "distinct_hosts", ""}};
    job->groups[0].count = 1;
    job->groups.pop_back();
  };
  const PlanReply plan = Plan(change);
  EXPECT_THAT(plan.plan.groups.at("g").update, SizeIs(1));
  EXPECT_THAT(plan.plan.groups.at("g").stop, SizeIs(1));
  EXPECT_THAT(plan.plan.groups.at("h").stop, SizeIs(2));
  EXPECT_THAT(Register(change)->failed_groups, IsEmpty());
  ASSERT_THAT(Live(), SizeIs(1));
  EXPECT_THAT(ids, testing::Contains(Live()[0]->id()));
  EXPECT_EQ(Live()[0]->job->version, 1u);
}

TEST_F(InPlaceUpdateTest, AnIneligibleNodeKeepsWhatItHas) {
  MakeNodeReady();
  Register([](Job*) {});
  const auto ids = Ids();
  ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
  EXPECT_THAT(Register(WithKillTimeout)->failed_groups, IsEmpty());
  EXPECT_EQ(Ids(), ids);
  EXPECT_EQ(Live()[0]->job->version, 1u);
}

TEST_F(InPlaceUpdateTest, AnUpdateWaitsForANodeThatIsNotKnownYet) {
  MakeNodeReady();
  Register([](Job*) {});
  const auto ids = Ids();
  store.Write(cause::kNodeStatus, [&](Tables* tables, std::uint64_t) {
    auto stored = std::make_shared<NodeRecord>();  // what a start of the agent finds in its store
    stored->id = "node";
    tables->Put(std::move(stored));
    return MaskOf(Table::kNodes);
  });
  Register(WithKillTimeout);
  EXPECT_EQ(Ids(), ids);
  EXPECT_EQ(Live()[0]->job->version, 0u);
  MakeNodeReady();
  EXPECT_EQ(Ids(), ids) << "nothing was replaced";
  EXPECT_EQ(Live()[0]->job->version, 1u);
}

TEST_F(InPlaceUpdateTest, ASysbatchJobRunsAgainOnlyForAnotherTask) {
  MakeNodeReady();
  Register([](Job* job) {
    job->type = JobType::kSysbatch;
    job->groups[0].count = 1;
  });
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  Register(WithKillTimeout);
  EXPECT_THAT(Live(), IsEmpty());
  Register([](Job* job) { job->groups[0].tasks[0].env["A"] = "1"; });
  EXPECT_THAT(Live(), SizeIs(1));
}

TEST_F(InPlaceUpdateTest, TheLastRunOfASysbatchJobDecidesWhetherItRunsAgain) {
  MakeNodeReady();
  Register([](Job* job) {
    job->type = JobType::kSysbatch;
    job->groups[0].count = 1;
  });
  const auto first = Live().at(0)->id();
  Report(first, ClientStatus::kComplete);
  Register([](Job* job) { job->groups[0].tasks[0].env["A"] = "1"; });
  ASSERT_THAT(Live(), SizeIs(1));
  const auto second = Live()[0]->id();
  // This is what the first one ran. But the second one has replaced it.
  Register([](Job* job) { job->groups[0].tasks[0].env.clear(); });
  ASSERT_THAT(Live(), SizeIs(1));
  const auto third = Live()[0]->id();
  EXPECT_NE(third, second);
  EXPECT_EQ(Alloc(second)->alloc->desired_description, stop_reason::kUpdated);
  Report(second, ClientStatus::kComplete);
  Report(third, ClientStatus::kComplete);
  Register(WithKillTimeout);
  EXPECT_THAT(Live(), IsEmpty());
  Register([](Job* job) { job->groups[0].tasks[0].env["A"] = "1"; });
  EXPECT_THAT(Live(), SizeIs(1));
}

TEST_F(InPlaceUpdateTest, ACollectionDoesNotMakeASysbatchJobRunAgain) {
  MakeNodeReady();
  Register([](Job* job) {
    job->type = JobType::kSysbatch;
    job->groups[0].count = 1;
  });
  const auto first = Live().at(0)->id();
  Report(first, ClientStatus::kComplete);
  Register(WithKillTimeout);
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {.jobs = false})).ok());
  ASSERT_NE(Alloc(first), nullptr) << "only its files are gone";
  EXPECT_TRUE(Alloc(first)->collected);
  ASSERT_TRUE(scheduler.Evaluate({"default", "web"}).ok());
  EXPECT_THAT(Live(), IsEmpty());
  Register([](Job* job) { job->groups[0].tasks[0].env["A"] = "1"; });
  EXPECT_THAT(Live(), SizeIs(1));
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {.jobs = false})).ok());
  EXPECT_EQ(Alloc(first), nullptr) << "the next one shows what has run";
}

TEST_F(InPlaceUpdateTest, AFailedSysbatchJobAndAnEndedBatchJobRunAgainForAnyNewVersion) {
  MakeNodeReady();
  Register([](Job* job) {
    job->type = JobType::kSysbatch;
    job->groups[0].count = 1;
  });
  Report(Live().at(0)->id(), ClientStatus::kFailed);
  Register(WithKillTimeout);
  EXPECT_THAT(Live(), SizeIs(1));
  Register([](Job* job) { job->type = JobType::kBatch; });
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  EXPECT_THAT(Live(), SizeIs(testing::Le(1)));
  for (const auto& record : Live()) Report(record->id(), ClientStatus::kComplete);
  Register([](Job* job) { job->groups[0].tasks[0].kill_timeout = 3s; });
  EXPECT_THAT(Live(), SizeIs(1));
}

TEST_F(InPlaceUpdateTest, AJobOfAnotherNodePoolIsNotPlaced) {
  MakeNodeReady();
  const auto place = [this](const std::string& pool) {
    const auto eval = Register([&](Job* job) {
      job->id = job->node_pool = pool;
      job->groups[0].count = 1;
    });
    return eval->failed_groups.empty() ? PlacementFailure() : eval->failed_groups.at("g");
  };
  EXPECT_EQ(place("default"), PlacementFailure());
  EXPECT_EQ(place("all"), PlacementFailure());
  EXPECT_THAT(Live(), SizeIs(2));
  const PlacementFailure elsewhere = place("gpu");
  EXPECT_EQ(elsewhere.node_pool, "gpu");
  EXPECT_EQ(elsewhere.nodes_in_pool, 0);
  EXPECT_THAT(elsewhere.nodes_available, IsEmpty());
  EXPECT_EQ(elsewhere.nodes_evaluated, 0);
  EXPECT_THAT(Live(), SizeIs(2));
  NodeRecord node;
  node.id = "node";
  node.node_pool = "gpu";
  node.cpu_mhz = node.memory_mb = node.disk_mb = 1'000'000;
  ASSERT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
  ASSERT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  EXPECT_THAT(Live(), SizeIs(3)) << "the node has come into its pool";
}

}  // namespace
}  // namespace drover
