// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_services.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace drover {
namespace {

TEST(EarlierOwnersTest, AreTheGroupAndTheTasksThatMayStillRun) {
  auto job = std::make_shared<Job>();
  job->groups.resize(1);
  job->groups[0].name = "g";
  for (const char* name : {"runs", "dead", "exited", "waits", "new"}) {
    job->groups[0].tasks.emplace_back().name = name;
  }
  auto alloc = std::make_shared<Allocation>();
  alloc->id = "a";
  alloc->job = job;
  alloc->group_name = "g";
  AllocRunnerRequest request;
  request.alloc = alloc;
  EXPECT_TRUE(EarlierOwnersOf(request).empty());
  request.restored.emplace();
  auto& tasks = *request.restored;
  for (const char* name : {"runs", "dead", "exited"}) {
    tasks[name].state.state = RunnerState::kRunning;
    tasks[name].local.run_id = RunId::Random();
  }
  tasks["dead"].state.state = RunnerState::kDead;
  tasks["exited"].local.exit = ExitResult();
  tasks["waits"].state.state = RunnerState::kPending;
  std::string text;
  for (const auto& owner : EarlierOwnersOf(request)) {
    text += owner.owner + " " + owner.id_prefix + (owner.may_run ? " may run\n" : "\n");
  }
  EXPECT_EQ(text,
            " _nomad-task-a-group-g- may run\n"
            "runs _nomad-task-a-runs- may run\n"
            "dead _nomad-task-a-dead-\n"
            "exited _nomad-task-a-exited-\n"
            "waits _nomad-task-a-waits-\n"
            "new _nomad-task-a-new-\n");
}

TEST(EarlierOwnersTest, ThoseWithServicesInConsulAreKnownThere) {
  auto job = std::make_shared<Job>();
  job->groups.resize(1);
  job->groups[0].name = "g";
  job->groups[0].services.resize(1);
  job->groups[0].services[0].provider = ServiceProvider::kConsul;
  for (const char* name : {"there", "here", "none", "dead"}) {
    job->groups[0].tasks.emplace_back().name = name;
  }
  std::vector<Task>& tasks = job->groups[0].tasks;
  for (const int of : {0, 3}) {
    tasks[static_cast<std::size_t>(of)].services.resize(1);
    tasks[static_cast<std::size_t>(of)].services[0].provider = ServiceProvider::kConsul;
  }
  tasks[1].services.resize(1);
  tasks[1].services[0].provider = ServiceProvider::kBuiltin;
  auto alloc = std::make_shared<Allocation>();
  alloc->id = "a";
  alloc->job = job;
  alloc->group_name = "g";
  AllocRunnerRequest request;
  request.alloc = alloc;
  ServicePolicy policy;
  policy.consul_configured = true;
  EXPECT_TRUE(EarlierInConsul(policy, request).empty()) << "no earlier agent ran it";
  request.restored.emplace();
  for (const Task& task : tasks) {
    RestoredTask& restored = (*request.restored)[task.name];
    restored.state.state = task.name == "dead" ? RunnerState::kDead : RunnerState::kRunning;
    restored.local.run_id = RunId::Random();
  }
  EXPECT_EQ(EarlierInConsul(policy, request),
            (std::set<ConsulSync::Owner>{{"a", ""}, {"a", "there"}}));
  policy.consul_is_builtin = true;
  EXPECT_TRUE(EarlierInConsul(policy, request).empty()) << "all of them are registered here now";
}

TEST(NodeServicesTest, ItsHooksComeAfterThoseOfOthers) {
  SimLoop loop;
  const NodeInfo info{};
  NodeServices services(&loop, &info, ServicePolicy(), "127.0.0.1");
  LocalAllocEnv env;
  int asked = 0;
  env.make_task_hooks = [&asked](const Allocation&, const Task&) {
    ++asked;
    return TaskHooks();
  };
  services.AddHooks(&env);
  EXPECT_FALSE(env.waits_shutdown_delay);
  ASSERT_EQ(env.extra_hooks.size(), 1u);
  AllocHookEnv hook_env;
  hook_env.loop = &loop;
  EXPECT_EQ(env.extra_hooks[0](hook_env)->name(), "group_services");
  const TaskHooks hooks = env.make_task_hooks(Allocation(), Task());
  EXPECT_EQ(asked, 1);
  ASSERT_EQ(hooks.after_stats.size(), 1u);
  EXPECT_EQ(hooks.after_stats[0]->name(), "services");
}

}  // namespace
}  // namespace drover
