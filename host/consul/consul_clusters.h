// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "host/base/callback_list.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/base/worker_pool.h"
#include "host/consul/consul_agent.h"
#include "host/consul/consul_checks.h"
#include "host/consul/consul_sync.h"

namespace drover {

// All clusters of Consul of an agent, by their names. Control thread only.
class ConsulClusters {
 public:
  using Log = std::function<void(const std::string& sentence)>;

  // POOL must outlive the object. Returns an error if the options of a cluster are invalid, such as
  // its files of TLS. Whether Consul is there does not matter.
  static Result<std::unique_ptr<ConsulClusters>> Create(
      Loop* loop, WorkerPool* pool, const std::map<std::string, ConsulOptions>& options,
      const std::string& node_id, const Log& log);

  // Start is called once. After it, Stop must end before this object does. See ConsulSync.
  void Start();
  Co<void> Stop();
  void Restored(const std::set<ConsulSync::Owner>& live);
  void Report(const std::string& service_id, const std::string& check_name, ConsulStatus status,
              const std::string& output);

  // For a RegistrarSwitch.
  std::map<std::string, ConsulSync*> syncs() const;

  // See ConsulChecks. An allocation may have services in several clusters.
  bool Passing(const std::string& alloc_id) const;
  [[nodiscard]] Subscription OnChange(const std::string& alloc_id,
                                      const std::function<void()>& changed);

 private:
  struct Cluster {
    std::unique_ptr<ConsulAgent> agent;
    std::unique_ptr<ConsulSync> sync;
    std::unique_ptr<ConsulChecks> checks;
  };

  explicit ConsulClusters(Loop* loop) : loop_(loop) {}
  static Co<void> StopOne(Cluster* cluster);

  Loop* const loop_;
  std::map<std::string, Cluster> clusters_;
  CallbackList held_;  // owns the subscriptions of who waits; it is never fired
};

}  // namespace drover
