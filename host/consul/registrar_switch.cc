// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/registrar_switch.h"

#include <utility>

#include "host/base/gate.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

Co<void> ClearBuiltin(ServiceRegistrar* builtin, Context context, std::string alloc_id,
                      std::string owner, Status* status) {
  *status = co_await builtin->Clear(context, std::move(alloc_id), std::move(owner));
}

Co<void> ClearCluster(ConsulSync* cluster, Context context, std::string alloc_id, std::string owner,
                      Status* status) {
  *status = co_await cluster->Clear(context, std::move(alloc_id), std::move(owner));
}

}  // namespace

RegistrarSwitch::RegistrarSwitch(Loop* loop, ServiceRegistrar* builtin,
                                 std::map<std::string, ConsulSync*> clusters, Describe describe,
                                 Log log)
    : loop_(loop),
      builtin_(builtin),
      clusters_(std::move(clusters)),
      describe_(std::move(describe)),
      log_(std::move(log)) {}

void RegistrarSwitch::Set(const std::string& alloc_id, const std::string& owner,
                          std::vector<ServiceRegistration> all) {
  std::vector<ServiceRegistration> here;
  std::map<std::string, std::vector<ConsulService>> there;
  for (ServiceRegistration& registration : all) {
    std::optional<ServiceInConsul> described = describe_(owner, registration);
    if (!described) {
      here.push_back(std::move(registration));
    } else if (clusters_.count(described->cluster) > 0) {
      there[described->cluster].push_back(std::move(described->service));
    } else if (log_) {
      // The configuration has changed since the job was accepted.
      log_("allocation " + alloc_id + ": the service " + Quoted(registration.name) +
           " is not registered, because this agent has no cluster " + Quoted(described->cluster) +
           " of Consul");
    }
  }
  builtin_->Set(alloc_id, owner, std::move(here));
  // A service may have left a cluster, so each gets its list, also an empty one.
  for (const auto& [name, cluster] : clusters_) {
    cluster->Set(alloc_id, owner, std::move(there[name]));
  }
}

Co<Status> RegistrarSwitch::Clear(Context context, std::string alloc_id, std::string owner) {
  std::vector<Status> statuses(clusters_.size() + 1);
  std::vector<Co<void>> clears;
  clears.push_back(ClearBuiltin(builtin_, context, alloc_id, owner, &statuses[0]));
  for (const auto& [name, cluster] : clusters_) {
    clears.push_back(ClearCluster(cluster, context, alloc_id, owner, &statuses[clears.size()]));
  }
  co_await InParallel(loop_, std::move(clears));
  for (const Status& status : statuses) {
    if (!status.ok()) co_return status;
  }
  co_return Status();
}

}  // namespace drover
