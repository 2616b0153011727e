// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/node_capacity.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

Task NamedTask(const std::string& name, std::int64_t memory_mb) {
  Task task;
  task.name = name;
  task.resources = {memory_mb, memory_mb, 0};
  return task;
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
