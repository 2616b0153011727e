// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_plugin_hooks.h"

#include <memory>
#include <utility>

#include "host/alloc/local_alloc_runner.h"
#include "host/task/hooks/plugin_hook.h"

namespace drover {

Result<NodePluginHooks> NodePluginHooks::Create(std::vector<std::string> names,
                                                PluginRegistry* registry, std::string node_id,
                                                std::string node_name) {
  NodePluginHooks made;
  made.node_id_ = std::move(node_id);
  made.node_name_ = std::move(node_name);
  for (std::string& name : names) {
    HookPlugin* const plugin = registry->FindHooks(name);
    if (plugin == nullptr) {
      return Error(Code::kInvalidArgument,
                   "client/task_hooks: there is no plugin \"" + name + "\": configure it");
    }
    made.plugins_.emplace_back(std::move(name), plugin);
  }
  return made;
}

void NodePluginHooks::AddHooks(TaskHooks* hooks) const {
  for (const auto& [name, plugin] : plugins_) {
    hooks->before_stats.push_back(
        std::make_shared<PluginHook>(PluginHookOptions{name, plugin, node_id_, node_name_}));
  }
}

}  // namespace drover
