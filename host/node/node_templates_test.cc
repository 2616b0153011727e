// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_templates.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(NodeTemplatesTest, OnlyATaskWithTemplatesHasTheHook) {
  SimLoop loop;
  NodeTemplatesOptions options;
  options.loop = &loop;
  const auto templates = NodeTemplates::Create(std::move(options));
  ASSERT_TRUE(templates.ok());
  TaskHooks hooks;
  Task task;
  (*templates)->AddHooks("alloc", task, &hooks);
  EXPECT_TRUE(hooks.before_stats.empty());
  EXPECT_TRUE(hooks.after_stats.empty());
  task.templates.emplace_back();
  (*templates)->AddHooks("alloc", task, &hooks);
  ASSERT_EQ(hooks.after_stats.size(), 1u);
  EXPECT_EQ(hooks.after_stats[0]->name(), "template");
  EXPECT_TRUE(loop.RunToEnd((*templates)->Stop()));
}

TEST(NodeTemplatesTest, AConsulThatCannotBeReachedByItsOptionsIsAnError) {
  SimLoop loop;
  WorkerPool pool{1};
  NodeTemplatesOptions options;
  options.loop = &loop;
  options.pool = &pool;
  options.consul["default"].ca_file = "/nonexistent/ca.pem";
  options.consul["default"].url = "https://127.0.0.1:8501";
  EXPECT_FALSE(NodeTemplates::Create(std::move(options)).ok());
}

}  // namespace
}  // namespace drover
