// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/core_pool.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TaskGroup Group(std::initializer_list<int> cores) {
  TaskGroup group;
  for (const int count : cores) {
    Task& task = group.tasks.emplace_back();
    task.name = "t" + std::to_string(group.tasks.size());
    task.resources.cores = count;
  }
  return group;
}

TEST(CorePoolTest, NoTwoTasksShareACore) {
  CorePool pool({0, 2, 3, 7, 8});
  EXPECT_EQ(pool.Take(Group({2, 0, 1})), (ReservedCores{{"t1", {0, 2}}, {"t3", {3}}}));
  EXPECT_EQ(pool.Take(Group({1, 2})), std::nullopt) << "two are left";
  EXPECT_EQ(pool.size(), 2u) << "and none was taken";
  EXPECT_EQ(pool.Take(Group({0})), ReservedCores());
  EXPECT_EQ(pool.Take(Group({2})), (ReservedCores{{"t1", {7, 8}}}));
}

TEST(CorePoolTest, WhatAnAllocationHasIsNotFree) {
  CorePool pool({0, 1, 2, 3});
  pool.Remove({0, 1, 9});
  EXPECT_EQ(pool.Take(Group({2})), (ReservedCores{{"t1", {2, 3}}}));
  pool.Give({{"a", {1}}, {"b", {0}}});
  EXPECT_EQ(pool.Take(Group({2})), (ReservedCores{{"t1", {0, 1}}}));
}

}  // namespace
}  // namespace drover
