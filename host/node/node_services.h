// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/alloc/alloc_runner.h"
#include "host/alloc/local_alloc_runner.h"
#include "host/consul/consul_sync.h"
#include "host/scheduler/cluster_link.h"
#include "host/services/service_hook_options.h"
#include "host/services/service_sync.h"

namespace drover {

// Returns the group and the tasks of an allocation that an earlier agent has begun, and which of
// them may still have registrations.
std::vector<ServiceSync::EarlierOwner> EarlierOwnersOf(const AllocRunnerRequest& request);
// Returns those of them that go on and have services that Consul keeps by POLICY: their hooks will
// set or clear these services.
std::set<ConsulSync::Owner> EarlierInConsul(const ServicePolicy& policy,
                                            const AllocRunnerRequest& request);

class NodeConsul;

// Registers the services of a node's allocations with the server, or in Consul. Control thread
// only.
class NodeServices {
 public:
  // INFO must outlive this object. IP is the address on which tasks have their ports.
  NodeServices(Loop* loop, const NodeInfo* info, ServicePolicy policy, std::string ip);

  // Services that Consul keeps go to CONSUL, which must outlive this object. Must be called before
  // AddHooks.
  void UseConsul(NodeConsul* consul);
  // Adds the hooks of groups and tasks to ENV. This object must outlive the runners of ENV.
  void AddHooks(LocalAllocEnv* env);
  // Sets which services are registered from now on. Earlier registrations stay.
  void SetPolicy(ServicePolicy policy) { options_.node.policy = std::move(policy); }

  // An allocation of an earlier agent has its runner again, by REQUEST, and the runner has not
  // begun its work.
  void Restored(const AllocRunnerRequest& request);
  // All allocations of earlier agents have their runners again.
  void RestoreDone();

  // Starts the work with Consul, which goes on until NodeConsul::Stop. Tells LINK what has changed,
  // until CONTEXT ends. From then on, no hook waits for LINK. LINK
  // must outlive this call.
  Co<void> Run(Context context, ClusterLink* link);

 private:
  ServiceSync sync_;
  ServiceHookOptions options_;
  NodeConsul* consul_ = nullptr;           // null: there is no Consul
  std::set<ConsulSync::Owner> in_consul_;  // see EarlierInConsul; until RestoreDone
};

}  // namespace drover
