// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/alloc/local_alloc_runner.h"
#include "host/base/callback_list.h"
#include "host/base/worker_pool.h"
#include "host/config/agent_config.h"
#include "host/node/state_values.h"
#include "host/render/watched_values.h"
#include "host/task/task_seams.h"

namespace drover {

struct NodeTemplatesOptions {
  Loop* loop = nullptr;              // not owned
  TaskPreparer* preparer = nullptr;  // not owned
  WorkerPool* pool = nullptr;        // not owned; reads long answers
  // With a store, templates have the services and variables of this agent.
  StateValuesOptions state;
  // Templates have the values of the cluster "default".
  std::map<std::string, AgentConfig::Consul> consul;
};

// Renders the templates of a node's tasks. Control thread only.
class NodeTemplates {
 public:
  // Returns an error if the options of Consul are invalid. Blocks.
  static Result<std::unique_ptr<NodeTemplates>> Create(NodeTemplatesOptions options);
  ~NodeTemplates();

  // Adds the hook that renders the templates of TASK to HOOKS, if it has any.
  void AddHooks(const std::string& alloc_id, const Task& task, TaskHooks* hooks);
  // Ends all watches. Must be called once, when no runner runs any more.
  Co<void> Stop() { return values_->Stop(); }

 private:
  explicit NodeTemplates(NodeTemplatesOptions options);

  const NodeTemplatesOptions options_;
  std::vector<std::unique_ptr<ValueSource>> sources_;
  std::shared_ptr<WatchedValues> values_;
  Subscription on_policies_;
  // Renders and writes. A template may take long, so it must not delay the starts of other tasks.
  // Null until the first task with templates.
  std::unique_ptr<WorkerPool> renderers_;
  std::unique_ptr<WorkerPool> slow_renderers_;  // of templates that take long
};

}  // namespace drover
