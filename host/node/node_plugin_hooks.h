// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/plugin/plugin_registry.h"

namespace drover {

struct TaskHooks;

// The plugins that take part in each task of a node. Control thread only.
class NodePluginHooks {
 public:
  // NAMES are the plugins in the order of their calls. Returns an error if REGISTRY, which must
  // outlive this object and all runners, does not have one of them.
  static Result<NodePluginHooks> Create(std::vector<std::string> names, PluginRegistry* registry,
                                        std::string node_id, std::string node_name);

  // Adds a hook for each plugin.
  void AddHooks(TaskHooks* hooks) const;

 private:
  std::vector<std::pair<std::string, HookPlugin*>> plugins_;  // by name, in their order
  std::string node_id_;
  std::string node_name_;
};

}  // namespace drover
