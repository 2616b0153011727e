// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/alloc/local_alloc_runner.h"
#include "host/base/co.h"
#include "host/base/unique_fd.h"
#include "host/base/worker_pool.h"
#include "host/config/agent_config.h"
#include "host/network/alloc_networks.h"
#include "host/taskenv/task_env.h"

namespace drover {

struct NodeNetworksOptions {
  const NodeInfo* info = nullptr;  // must outlive the object
  WorkerPool* workers = nullptr;   // for starts, must outlive the object
  AgentConfig::Client client;      // alloc_dir must name an existing directory
  std::string node_id;
  bool kept = false;      // whether tasks go on without the agent
  std::string notes_dir;  // see AllocNetworksOptions; empty: beside the namespaces
};

// The networks that a node offers to allocations, and what its agents have made of them. Control
// thread only.
class NodeNetworks {
 public:
  // Finds out which networks there are.
  static Result<std::unique_ptr<NodeNetworks>> Create(NodeNetworksOptions options);
  ~NodeNetworks();

  // For each network mode that plugins of this machine make, the attribute of the node; see
  // NetworkAttribute.
  const StringMap& attributes() const { return attributes_; }
  // Returns why allocations cannot have the network mode MODE; empty if they can.
  std::string WhyNot(const std::string& mode) const;

  // Adds the hook of allocations. This object must outlive the runners of ENV.
  void AddHook(LocalAllocEnv* env);
  // Adds the hooks of a task of ALLOC.
  void AddTaskHooks(const Allocation& alloc, TaskHooks* hooks) const;

  // Of a node that keeps its state. Removes the namespaces of allocations for which KNOWN returns
  // false, and finds the networks that DropLeftovers must remove. Call it before any runner is
  // made. Blocks for a short time.
  void FindUnknown(const std::function<bool(const std::string& alloc_id)>& known);
  // Removes the networks of unknown allocations, unless KEEP_UNKNOWN is true, and those of nodes
  // that were killed and kept no state. Their tasks must have ended. Gives up when GIVE_UP is true.
  Co<void> DropLeftovers(bool keep_unknown, std::shared_ptr<const std::atomic<bool>> give_up);

 private:
  explicit NodeNetworks(NodeNetworksOptions options);
  Status Open();
  void FindNetworks();
  std::unique_ptr<AllocHook> MakeHook(const AllocHookEnv& env);
  Status MakeOwnDirectory();
  WorkerPool* PluginPool();
  std::shared_ptr<const AllocNetworks> NetworksIn(const std::string& directory,
                                                  const std::string& notes) const;

  const NodeNetworksOptions options_;
  std::string run_dir_;
  std::string directory_;  // of the namespaces
  // Of a node without a kept state: the lock on its directory, by which others see that it lives.
  UniqueFd lock_;
  StringMap attributes_;
  std::string why_no_bridge_;  // empty if there is one
  std::string resolv_of_host_;
  bool has_hostname_ = false;
  std::shared_ptr<const AllocNetworks> networks_;
  std::vector<NoteIdentity> unknown_;
  std::unique_ptr<WorkerPool> plugin_pool_;  // made for the first allocation that needs it
};

}  // namespace drover
