// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/alloc/health/check_states.h"
#include "host/base/callback_list.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/base/worker_pool.h"
#include "host/checks/check_plan.h"
#include "host/checks/check_result.h"
#include "host/config/agent_config.h"
#include "host/consul/consul_clusters.h"
#include "host/consul/registrar_switch.h"
#include "host/services/for_consul.h"

namespace drover {

// The services of a node that Consul keeps. Control thread only.
class NodeConsul {
 public:
  // POOL reads long answers of Consul, and must outlive this object. Returns an error if the
  // options of a cluster are invalid. Blocks.
  static Result<std::unique_ptr<NodeConsul>> Create(
      Loop* loop, WorkerPool* pool, const std::map<std::string, AgentConfig::Consul>& clusters,
      const std::string& node_id);

  // Returns the registrar of all services of the node: what Consul does not keep goes to BUILTIN,
  // which must outlive it. This object owns it. Call it once.
  ServiceRegistrar* SwitchFrom(ServiceRegistrar* builtin);
  // The next Set of that registrar has the registrations of SERVICES.
  void Expect(std::vector<ForConsul> services);

  // Returns OURS, the checks that this agent asks, together with those of Consul. OURS must outlive
  // it. This object owns it. Call it once.
  CheckStates* JoinTo(CheckStates* ours);
  // Tells Consul the result of a script, if it is of a check of a service that Consul keeps.
  void Report(const CheckPlan& plan, const CheckAnswer& answer);

  // See ConsulClusters.
  void Start() { clusters_->Start(); }
  void Restored(const std::set<ConsulSync::Owner>& live) { clusters_->Restored(live); }
  Co<void> Stop() { return clusters_->Stop(); }

 private:
  NodeConsul(Loop* loop, std::unique_ptr<ConsulClusters> clusters);
  std::optional<ServiceInConsul> Describe(const std::string& owner,
                                          const ServiceRegistration& registration);

  Loop* const loop_;
  const std::unique_ptr<ConsulClusters> clusters_;
  std::map<std::string, ForConsul> expected_;  // by the id of the registration
  std::unique_ptr<ServiceRegistrar> switch_;
  std::unique_ptr<CheckStates> states_;
};

}  // namespace drover
