// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/checks/check_results.h"
#include "host/checks/check_thread.h"
#include "host/checks/checks_hook.h"
#include "host/spec/blocks/service_policy.h"
#include "host/taskenv/task_env.h"

namespace drover {

struct LocalAllocEnv;
class NodeConsul;

// The checks of a node's allocations, and the verdicts on their health. Control thread only, but
// for reading results.
class NodeChecks {
 public:
  // LOOP and NODE must outlive this object, which must outlive all runners. NODE may change.
  NodeChecks(Loop* loop, const NodeInfo* node, ServicePolicy policy);

  // CONSUL, which must outlive this object, gets the results of scripts of the services that Consul
  // keeps, and its checks decide on the health, too. Must be called before AddHealthHook.
  void UseConsul(NodeConsul* consul);
  // Adds the hook that watches the health. It comes before the hooks that register services and
  // before AddChecksHook, so that a kill ends the watch before it removes anything.
  void AddHealthHook(LocalAllocEnv* env);
  // Adds the hook that runs the checks. It comes after the hooks that register services, so that
  // the checks go on during a shutdown delay.
  void AddChecksHook(LocalAllocEnv* env);
  // Sets whose checks this agent runs from the next start or update of an allocation on.
  void SetPolicy(ServicePolicy policy) { policy_ = std::move(policy); }

  // Returns the results of an allocation's checks as clients read them. [any thread]
  nlohmann::json Encode(const std::string& alloc_id) const;
  const CheckResults& results() const { return results_; }  // for metrics [any thread]

 private:
  std::vector<CheckPlan> PlansOf(const Allocation& alloc) const;

  const NodeInfo* const node_;
  ServicePolicy policy_;
  CheckResults results_;
  CheckStates* states_ = &results_;  // those that decide on the health
  bool has_consul_ = false;
  const std::shared_ptr<ScriptChecks> scripts_;
  CheckThread thread_;  // ends before the results
  std::shared_ptr<ChecksEnv> env_;
};

}  // namespace drover
