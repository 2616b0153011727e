// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_consul.h"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <utility>

#include "host/consul/make_consul_service.h"
#include "host/node/consul_options.h"

namespace drover {
namespace {

void LogOfConsul(const std::string& sentence) { spdlog::warn("{}", sentence); }

ConsulStatus StatusOf(CheckStatus status) {
  switch (status) {
    case CheckStatus::kSuccess:
      return ConsulStatus::kPassing;
    case CheckStatus::kWarning:
      return ConsulStatus::kWarning;
    case CheckStatus::kPending:
    case CheckStatus::kFailure:
      return ConsulStatus::kCritical;
  }
  return ConsulStatus::kCritical;
}

// The checks that this agent asks, and those that Consul asks.
class AllCheckStates : public CheckStates {
 public:
  // Both pointers must outlive this object.
  AllCheckStates(CheckStates* ours, ConsulClusters* consul) : ours_(ours), consul_(consul) {}

  bool Passing(const std::string& alloc_id) const override {
    return ours_->Passing(alloc_id) && consul_->Passing(alloc_id);
  }
  void Expect(const std::string& alloc_id) override { ours_->Expect(alloc_id); }
  Subscription OnChange(const std::string& alloc_id, std::function<void()> changed) override {
    const auto both = std::make_shared<std::vector<Subscription>>();
    both->push_back(ours_->OnChange(alloc_id, changed));
    both->push_back(consul_->OnChange(alloc_id, changed));
    return held_.Add([both] {});
  }

 private:
  CheckStates* const ours_;
  ConsulClusters* const consul_;
  CallbackList held_;  // owns the subscriptions of who waits; it is never fired
};

}  // namespace

Result<std::unique_ptr<NodeConsul>> NodeConsul::Create(
    Loop* loop, WorkerPool* pool, const std::map<std::string, AgentConfig::Consul>& clusters,
    const std::string& node_id) {
  std::map<std::string, ConsulOptions> options;
  for (const auto& [name, config] : clusters) options.emplace(name, ConsulOptionsOf(config));
  DROVER_ASSIGN(std::unique_ptr<ConsulClusters> made,
                ConsulClusters::Create(loop, pool, options, node_id, LogOfConsul));
  return std::unique_ptr<NodeConsul>(new NodeConsul(loop, std::move(made)));
}

NodeConsul::NodeConsul(Loop* loop, std::unique_ptr<ConsulClusters> clusters)
    : loop_(loop), clusters_(std::move(clusters)) {}

ServiceRegistrar* NodeConsul::SwitchFrom(ServiceRegistrar* builtin) {
  switch_ = std::make_unique<RegistrarSwitch>(
      loop_, builtin, clusters_->syncs(),
      [this](const std::string& owner, const ServiceRegistration& registration) {
        return Describe(owner, registration);
      },
      LogOfConsul);
  return switch_.get();
}

void NodeConsul::Expect(std::vector<ForConsul> services) {
  expected_.clear();
  for (ForConsul& service : services) {
    std::string id = service.id;
    expected_.insert_or_assign(std::move(id), std::move(service));
  }
}

std::optional<ServiceInConsul> NodeConsul::Describe(const std::string& owner,
                                                    const ServiceRegistration& registration) {
  const auto found = expected_.find(registration.id);
  if (found == expected_.end()) return std::nullopt;
  const ForConsul& of = found->second;
  const auto place_of = [&of](const ServiceCheck& check) -> Result<ConsulAddress> {
    const auto index = static_cast<std::size_t>(&check - of.service.checks.data());
    return ConsulAddress{of.places[index].ip, of.places[index].port};
  };
  Result<ConsulService> made = MakeConsulService(of.service, owner, registration, place_of);
  DROVER_CHECK(made.ok());  // each check has its place
  return ServiceInConsul{of.service.cluster, std::move(*made)};
}

CheckStates* NodeConsul::JoinTo(CheckStates* ours) {
  states_ = std::make_unique<AllCheckStates>(ours, clusters_.get());
  return states_.get();
}

void NodeConsul::Report(const CheckPlan& plan, const CheckAnswer& answer) {
  const std::string output = CheckOutput(answer.output);
  for (const auto& [name, sync] : clusters_->syncs()) {
    for (const auto& service : sync->ServicesOf(plan.alloc_id)) {
      const auto owner = service->meta.find(kConsulMetaOwner);
      const bool is_of_owner = owner != service->meta.end() && owner->second == plan.task;
      if (service->name != plan.service || !is_of_owner) continue;
      sync->Report(service->id, plan.check.name, StatusOf(answer.status), output, plan.namesake);
    }
  }
}

}  // namespace drover
