// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/consul/consul_service.h"
#include "host/consul/consul_sync.h"
#include "host/services/service_registrar.h"

namespace drover {

// A service that Consul keeps, and the cluster that keeps it.
struct ServiceInConsul {
  std::string cluster;
  ConsulService service;  // see MakeConsulService
};

// Sends each service to whoever keeps it, so that hooks need not know. Control thread only.
class RegistrarSwitch : public ServiceRegistrar {
 public:
  // Returns what Consul gets of the service of REGISTRATION, or nothing if this agent keeps the
  // service. RegistryOf in host/spec/blocks/service_policy.h says which it is. OWNER is a task, or
  // empty for the group.
  using Describe = std::function<std::optional<ServiceInConsul>(
      const std::string& owner, const ServiceRegistration& registration)>;
  using Log = std::function<void(const std::string& sentence)>;

  // CLUSTERS are by their names. All pointers must outlive this object. LOG gets a sentence for
  // each service of a cluster that is not there, and may be null.
  RegistrarSwitch(Loop* loop, ServiceRegistrar* builtin,
                  std::map<std::string, ConsulSync*> clusters, Describe describe, Log log);

  void Set(const std::string& alloc_id, const std::string& owner,
           std::vector<ServiceRegistration> all) override;
  // Waits for all who keep services at the same time. Returns the first error.
  Co<Status> Clear(Context context, std::string alloc_id, std::string owner) override;

 private:
  Loop* const loop_;
  ServiceRegistrar* const builtin_;
  const std::map<std::string, ConsulSync*> clusters_;
  const Describe describe_;
  const Log log_;
};

}  // namespace drover
