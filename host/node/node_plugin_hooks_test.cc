// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_plugin_hooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/alloc/local_alloc_runner.h"

namespace drover {
namespace {

class NodePluginHooksTest : public testing::Test {
 protected:
  NodePluginHooksTest() : workers_(1) {
    PluginRegistryOptions options;
    for (const char* name : {"a", "b"}) {
      PluginConfig config;
      config.name = name;
      options.plugins.push_back(config);
    }
    registry_ = std::make_unique<PluginRegistry>(&loop_, &workers_, nullptr, std::move(options));
  }
  Result<NodePluginHooks> Create(std::vector<std::string> names) {
    return NodePluginHooks::Create(std::move(names), registry_.get(), "id", "name");
  }

  RealLoop loop_;
  WorkerPool workers_;
  std::unique_ptr<PluginRegistry> registry_;
};

TEST_F(NodePluginHooksTest, ATaskHasTheHooksInTheirOrder) {
  const auto made = Create({"b", "a"});
  ASSERT_TRUE(made.ok()) << made.error().message();
  TaskHooks hooks;
  made->AddHooks(&hooks);
  std::vector<std::string> names;
  for (const auto& hook : hooks.before_stats) names.emplace_back(hook->name());
  EXPECT_THAT(names, testing::ElementsAre("plugin_b", "plugin_a"));
  EXPECT_THAT(hooks.after_stats, testing::IsEmpty());
}

TEST_F(NodePluginHooksTest, ANodeWithoutPluginsAddsNoHook) {
  TaskHooks hooks;
  Create({})->AddHooks(&hooks);
  EXPECT_THAT(hooks.before_stats, testing::IsEmpty());
}

TEST_F(NodePluginHooksTest, AnUnknownPluginIsAnError) {
  EXPECT_THAT(Create({"a", "c"}).error().message(),
              testing::HasSubstr("there is no plugin \"c\": configure it"));
}

}  // namespace
}  // namespace drover
