// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/alloc/local_alloc_runner.h"
#include "host/base/co.h"
#include "host/base/unique_fd.h"
#include "host/base/worker_pool.h"
#include "host/config/agent_config.h"
#include "host/network/alloc_networks.h"
#include "host/network/cni_versions.h"
#include "host/taskenv/task_env.h"

namespace drover {

struct NodeNetworksOptions {
  const NodeInfo* info = nullptr;  // must outlive the object
  WorkerPool* workers = nullptr;   // for starts, must outlive the object
  WorkerPool* loaders = nullptr;   // for reads of configurations
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

  // The attributes of the node: one for each network mode that plugins of this machine make, see
  // NetworkAttribute, and the versions of the plugins that FindVersions has found.
  const StringMap& attributes() const { return attributes_; }
  // Looks again which networks there are. Returns whether attributes() has changed, and then also
  // changes them in ALL, the attributes of the node, which must outlive the call.
  Co<bool> Refresh(StringMap* all);
  // Asks the plugins for their versions, which become attributes like "plugins.cni.version.bridge".
  // Plugins that hang delay nothing else. Returns and changes the same as Refresh. Calls wait for
  // each other.
  Co<bool> FindVersions(StringMap* all);
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
  // Removes the networks of unknown allocations, if KEEP_UNKNOWN is true only those without a
  // process, and those of nodes that were killed and kept no state. Their tasks must have ended.
  // Gives up when GIVE_UP is true.
  Co<void> DropLeftovers(bool keep_unknown, std::shared_ptr<const std::atomic<bool>> give_up);
  // Ends the plugins that run. What they have not done is done by the next agent. Call it when the
  // agent ends.
  void Stop();
  // Ends FindVersions, also in the future. Call it when the agent begins to end.
  void StopAsking();

 private:
  // What plugins and their configurations make.
  struct Found {
    StringMap attributes;
    std::string why_no_bridge;  // empty if there is one
    std::vector<std::string> problems;

    bool operator==(const Found&) const = default;
  };
  explicit NodeNetworks(NodeNetworksOptions options);
  Status Open();
  static Found FindNetworks(const AgentConfig::Client& client);
  bool Take(Found found);
  bool ChangeAttributes();
  void CopyAttributes(StringMap* all) const;
  std::unique_ptr<AllocHook> MakeHook(const AllocHookEnv& env);
  Status MakeOwnDirectory();
  WorkerPool* PluginPool(const std::string& mode);
  std::shared_ptr<const AllocNetworks> NetworksIn(const std::string& directory,
                                                  const std::string& notes) const;

  const NodeNetworksOptions options_;
  std::string run_dir_;
  std::string directory_;  // of the namespaces
  // Of a node without a kept state: the lock on its directory, by which others see that it lives.
  UniqueFd lock_;
  Found found_;
  CniVersionMap versions_;
  StringMap attributes_;  // of both
  std::string resolv_of_host_;
  bool has_hostname_ = false;
  std::shared_ptr<const AllocNetworks> networks_;
  std::vector<NoteIdentity> unknown_;
  UniqueFd stop_;         // can be read after Stop
  UniqueFd stop_asking_;  // can be read after StopAsking
  bool asking_stopped_ = false;
  // The threads that call the plugins of each network mode, made for its first allocation. So a
  // plugin that hangs delays only its own network. Made last, so that they end first.
  std::map<std::string, std::unique_ptr<WorkerPool>> plugin_pools_;
};

}  // namespace drover
