// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/reconcile.h"

#include <gtest/gtest.h>

#include "host/scheduler/node_capacity.h"

namespace drover {
namespace {

Task NamedTask(const std::string& name, std::int64_t memory_mb) {
  Task task;
  task.name = name;
  task.resources = {memory_mb, memory_mb, 0};
  return task;
}

TEST(ReconcileTest, WhatTheRunnersTakeOverNeedsNoNewStart) {
  TaskGroup from;
  from.tasks.push_back(NamedTask("t", 100));
  TaskGroup to = from;
  to.count = 7;
  to.restart_policy.attempts = 9;
  to.shutdown_delay = 3s;
  to.tasks[0].kill_timeout = 17s;
  to.tasks[0].shutdown_delay = 1s;
  to.tasks[0].actions = {{"a", "/bin/true", {}}};
  EXPECT_TRUE(CanUpdateInPlace(from, to));
  const auto changed = [&](const std::function<void(TaskGroup*)>& change) {
    TaskGroup other = to;
    change(&other);
    return !CanUpdateInPlace(from, other);
  };
  EXPECT_TRUE(changed([](TaskGroup* g) { g->tasks[0].config_json = R"({"a":1})"; }));
  EXPECT_TRUE(changed([](TaskGroup* g) { g->tasks[0].env["A"] = "1"; }));
  EXPECT_TRUE(changed([](TaskGroup* g) { g->tasks[0].resources.memory_mb = 1; }));
  EXPECT_TRUE(changed([](TaskGroup* g) { g->tasks[0].driver = "exec"; }));
  EXPECT_TRUE(changed([](TaskGroup* g) { g->tasks[0].user = "nobody"; }));
  EXPECT_TRUE(changed([](TaskGroup* g) { g->tasks[0].leader = true; }));
  EXPECT_TRUE(changed([](TaskGroup* g) { g->networks.emplace_back(); }));
  EXPECT_TRUE(changed([](TaskGroup* g) { g->meta["a"] = "b"; }));
  EXPECT_TRUE(changed([](TaskGroup* g) { g->ephemeral_disk_mb = 301; }));
  EXPECT_TRUE(changed([](TaskGroup* g) { g->tasks.push_back(NamedTask("u", 1)); }));
}

TEST(NodeCapacityTest, AReservedCoreIsGoneWhole) {
  NodeRecord node;
  node.cores = 2;
  node.core_ids = {0, 1};
  node.cpu_mhz = 2000;
  node.memory_mb = node.disk_mb = 1000;
  TaskGroup group;
  group.tasks = {NamedTask("a", 0)};
  group.tasks[0].resources.cores = 1;
  NodeCapacity capacity(node, Tables());
  ReservedCores cores;
  EXPECT_EQ(capacity.Take(group, &cores), "");
  EXPECT_EQ(cores, (ReservedCores{{"a", {0}}}));
  TaskGroup mhz;
  mhz.tasks = {NamedTask("b", 600)};  // 600 MHz and 600 MB
  EXPECT_EQ(capacity.Take(mhz, &cores), "");
  EXPECT_EQ(capacity.Take(group, &cores), "cpu") << "one core is free, but its MHz are taken";
  NodeCapacity other(node, Tables());
  group.tasks[0].resources.cores = 2;
  node.core_ids = {1};
  EXPECT_EQ(NodeCapacity(node, Tables()).Take(group, &cores), "cores");
  EXPECT_EQ(other.Take(group, &cores), "");
}

TEST(NodeCapacityTest, WhatIsReservedIsNotForJobs) {
  NodeRecord node;
  node.cpu_mhz = node.memory_mb = node.disk_mb = 1000;
  TaskGroup group;
  group.tasks = {NamedTask("a", 0)};
  group.tasks[0].resources.cpu_mhz = group.tasks[0].resources.memory_mb = 900;
  ReservedCores cores;
  EXPECT_EQ(NodeCapacity(node, Tables()).Take(group, &cores), "");
  node.reserved_memory_mb = 101;
  EXPECT_EQ(NodeCapacity(node, Tables()).Take(group, &cores), "memory");
  node.reserved_memory_mb = 100;
  node.reserved_cpu_mhz = 101;
  EXPECT_EQ(NodeCapacity(node, Tables()).Take(group, &cores), "cpu");
  node.reserved_cpu_mhz = 100;
  group.ephemeral_disk_mb = 900;
  node.reserved_disk_mb = 101;
  EXPECT_EQ(NodeCapacity(node, Tables()).Take(group, &cores), "disk");
  node.reserved_disk_mb = 100;
  EXPECT_EQ(NodeCapacity(node, Tables()).Take(group, &cores), "");
}

TEST(NodeCapacityTest, TheDiskIsSharedByAllThatRuns) {
  NodeRecord node;
  node.cpu_mhz = node.memory_mb = node.disk_mb = 1000;
  Job job;
  TaskGroup group;
  group.name = "g";
  group.tasks = {NamedTask("a", 1)};
  group.ephemeral_disk_mb = 400;
  NodeCapacity capacity(node, Tables());
  ReservedCores cores;
  EXPECT_EQ(capacity.Take(group, &cores), "");
  EXPECT_EQ(capacity.Take(group, &cores), "");
  EXPECT_EQ(capacity.Take(group, &cores), "disk");
  EXPECT_FALSE(capacity.Has(NeedsOf(group)));
  job.groups = {group};
  Allocation ended;
  ended.job = std::make_shared<const Job>(job);
  ended.group_name = "g";
  capacity.Give(ended);
  EXPECT_TRUE(capacity.Has(NeedsOf(group)));
  EXPECT_EQ(capacity.Take(group, &cores), "");
}

TEST(NodeCapacityTest, WhatNoMachineHasIsNotThereHoweverOftenItIsAdded) {
  NodeRecord node;
  node.cpu_mhz = node.memory_mb = node.disk_mb = 1000;
  TaskGroup group;
  Task task;
  task.resources.memory_mb = task.resources.cpu_mhz = std::int64_t{1} << 62;
  group.tasks.assign(4, task);  // their sum is 0 in 64 bits
  ReservedCores cores;
  EXPECT_EQ(NodeCapacity(node, Tables()).Take(group, &cores), "memory");
}

TEST(NodeCapacityTest, AGroupNeedsWhatItsMostDemandingMomentNeeds) {
  TaskGroup group;
  Task before = NamedTask("before", 700);
  before.lifecycle = Lifecycle{Lifecycle::Hook::kPrestart, false};
  Task sidecar = NamedTask("sidecar", 30);
  sidecar.lifecycle = Lifecycle{Lifecycle::Hook::kPrestart, true};
  Task after = NamedTask("after", 200);
  after.lifecycle = Lifecycle{Lifecycle::Hook::kPoststop, false};
  group.tasks = {before, sidecar, NamedTask("a", 100), NamedTask("b", 250), after};
  EXPECT_EQ(GroupResources(group).memory_mb, 730);
  group.tasks.erase(group.tasks.begin());
  EXPECT_EQ(GroupResources(group).memory_mb, 380);
}

}  // namespace
}  // namespace drover
