// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/loaded_node.h"

#include "host/agent/logging.h"

namespace drover {
namespace {

Co<void> LookAtNode(Loop* loop, Node* node,
                    const std::function<void(Node*, const std::vector<PluginReport>&)>* look) {
  const Context context(loop);
  const std::vector<PluginReport> reports = co_await node->Start(context);
  (*look)(node, reports);
  co_await node->Shutdown();
}

}  // namespace

Status WithLoadedNode(AgentConfig config,
                      const std::function<void(Node*, const std::vector<PluginReport>&)>& look) {
  SetUpLogging(config.log_level, config.log_format);
  RealLoop loop;
  NodeOptions options;
  options.config = std::move(config);
  // The setting alloc_dir must not be empty. The node does not use the directory, because it gets
  // no allocations.
  if (options.config.client.alloc_dir.empty()) options.config.client.alloc_dir = "/nonexistent";
  options.foreground = true;
  options.inspect_only = true;
  DROVER_ASSIGN(const std::unique_ptr<Node> node, Node::Create(&loop, std::move(options)));
  if (!loop.RunToEnd(LookAtNode(&loop, node.get(), &look), std::chrono::minutes(5))) {
    return Error(Code::kTimeout, "the plugins were not loaded within five minutes");
  }
  return {};
}

}  // namespace drover
